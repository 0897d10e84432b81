// A separate process that carries a database to another and prints its own largest resident size, in MiB,
// and the length of the file, in MiB.
import { exportDatabase, importDatabase } from '../../../../src/sql.ts'

const [from = '', to = ''] = process.argv.slice(2)
const pieces: string[] = []
let room = () => {}
let more = () => {}
let isOver = false
let chars = 0

// The import takes each piece before the export reads on: the file is never whole in this process.
const exporting = exportDatabase({ url: from }, async (piece) => {
  pieces.push(piece)
  chars += piece.length
  more()
  await new Promise<void>((resolve) => {
    room = resolve
  })
}).then(() => {
  isOver = true
  more()
})

async function* file() {
  for (;;) {
    while (pieces.length > 0) {
      yield Buffer.from(pieces.shift() ?? '')
      room()
    }
    if (isOver) return
    await new Promise<void>((resolve) => {
      more = resolve
      if (pieces.length > 0 || isOver) resolve()
    })
  }
}

await importDatabase({ url: to }, file())
await exporting
const MIB = 1024 * 1024
const residentMib = Math.round(process.resourceUsage().maxRSS / 1024)
process.stdout.write(JSON.stringify({ residentMib, fileMib: Math.round(chars / MIB) }))
