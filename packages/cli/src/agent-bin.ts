import { runAgentProgram } from './commands/agent/agent-program.ts'

await runAgentProgram()
