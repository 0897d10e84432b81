import { processIo } from './io.ts'
import { runProgram } from './program/program.ts'

await runProgram(processIo())
