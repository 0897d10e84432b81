import { setFlagsFromString } from 'node:v8'

// V8 reads what a flag implies only at the start of the process, so each of them is named.
const PLAIN = ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering']
const OPTIMIZED = ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering']

let compiling = 0

/**
 * Runs `compile` while V8 compiles WebAssembly in its plain way. To optimize PostgreSQL at its start and in
 * its migrations takes some 600 MiB for a while, and seconds (Node 24). Modules that others compile at that
 * moment are plain too; later ones are not.
 */
export async function compiledPlainly<T>(compile: () => Promise<T>): Promise<T> {
  // A process that was started plain stays so.
  if (process.execArgv.includes('--liftoff-only')) return compile()
  compiling += 1
  setFlags(PLAIN)
  try {
    return await compile()
  } finally {
    compiling -= 1
    if (compiling === 0) setFlags(OPTIMIZED)
  }
}

function setFlags(flags: readonly string[]): void {
  try {
    for (const flag of flags) setFlagsFromString(flag)
  } catch {
    // A runtime without V8 has no such flags, and compiles as it does.
  }
}
