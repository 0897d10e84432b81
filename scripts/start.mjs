// `npm start`: from a fresh clone to a control plane with an attached agent. Installs and builds when needed,
// then hands over to `svc up`. Arguments go there: `npm start -- --port 9000`. Ctrl-C drains; its exit code
// is svc's own.
import { ensureInstalled, runNode } from './project.mjs'

ensureInstalled()

// The command and what it stands on; the testing package is no part of it.
const built = await runNode(['node_modules/typescript/bin/tsc', '-b', 'packages/cli'])
if (built !== 0) process.exit(built)

process.exitCode = await runNode(['packages/cli/bin/svc.js', 'up', ...process.argv.slice(2)], { alone: true })
