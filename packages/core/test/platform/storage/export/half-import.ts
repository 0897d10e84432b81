// A separate process that imports all of a file but its tail, prints a line, and waits to be killed.
import { readFile } from 'node:fs/promises'
import { type ExportPlace, importDatabase } from '../../../../src/sql.ts'

const [place = '', file = ''] = process.argv.slice(2)

async function* half() {
  yield (await readFile(file)).subarray(0, -500)
  process.stdout.write('half\n')
  setInterval(() => {}, 1000)
  await new Promise(() => {})
}

await importDatabase(JSON.parse(place) as ExportPlace, half())
