import { processIo } from './io.ts'
import { runProgram } from './program.ts'

await runProgram(processIo())
