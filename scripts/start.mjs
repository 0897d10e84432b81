// `npm start`: from a fresh clone to a control plane with an attached agent. Installs and builds if needed,
// then runs `svc up` with the arguments: `npm start -- --port 9000`. Ctrl-C drains; the exit code is svc's.
import { ensureInstalled, runNode } from './project.mjs'

ensureInstalled()

// The command and the packages that it depends on; the testing package is not built.
const built = await runNode(['node_modules/typescript/bin/tsc', '-b', 'packages/cli'])
if (built !== 0) process.exit(built)

process.exitCode = await runNode(['packages/cli/bin/svc.js', 'up', ...process.argv.slice(2)], { alone: true })
