// The command's package brings the documentation along, which the support chat answers from: `copy` puts it there
// before packing, `remove` takes it away afterwards.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const from = join(import.meta.dirname, '../docs')
const to = join(import.meta.dirname, '../packages/cli/docs')

rmSync(to, { recursive: true, force: true })
// Why things were decided is for those who change them.
if (process.argv[2] === 'copy') {
  cpSync(from, to, { recursive: true, filter: (path) => path !== join(from, 'decisions') })
}
