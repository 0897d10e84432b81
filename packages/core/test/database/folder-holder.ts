// A process of its own that opens a data folder, says so, and keeps it until its standard input closes.
import { buildJob } from '@svc/testing'
import { openStorage } from '../../src/sql.ts'

const [folder = '', jobId = ''] = process.argv.slice(2)
const storage = await openStorage({ dataDir: folder })
await storage.jobs.enqueue(buildJob({ id: jobId }))
process.stdout.write('open\n')
process.stdin.on('end', () => storage[Symbol.asyncDispose]()).resume()
