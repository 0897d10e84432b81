import type { PGlite } from '@electric-sql/pglite'

/**
 * Gives the stack back after each statement. A statement that fails leaves its frames on PGlite's stack
 * (0.5.8): after some 1,900 failures every further statement fails with "stack depth limit exceeded", until
 * the process ends. A call into the database runs to its end before anything else does, so the stack below
 * its start is garbage then.
 */
export function keepStack(pglite: PGlite): PGlite {
  const stack = stackPointer(pglite)
  if (stack === undefined) return pglite
  const run = pglite.execProtocolRawSync.bind(pglite)
  pglite.execProtocolRawSync = (message) => {
    const top: unknown = stack.value
    try {
      return run(message)
    } finally {
      stack.value = top
    }
  }
  return pglite
}

interface StackPointer {
  value: unknown
}

// Exported by the module, though not in its types.
function stackPointer({ Module }: PGlite): StackPointer | undefined {
  const { ___stack_pointer: pointer } = Module as unknown as { readonly ___stack_pointer?: unknown }
  const isGlobal = typeof pointer === 'object' && pointer !== null && 'value' in pointer
  return isGlobal ? (pointer as StackPointer) : undefined
}
