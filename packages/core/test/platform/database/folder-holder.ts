// A separate process that opens a data folder, prints a line, and keeps the folder until its standard input
// closes.
import { buildJob } from '@svc/testing'
import { openStorage } from '../../../src/sql.ts'

const [folder = '', jobId = ''] = process.argv.slice(2)
const storage = await openStorage({ dataDir: folder })
await storage.jobs.enqueue(buildJob({ id: jobId }))
process.stdout.write('open\n')
process.stdin.on('end', () => storage[Symbol.asyncDispose]()).resume()
