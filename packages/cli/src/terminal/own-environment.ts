/** Places of the fields `env_start` and `env_end` behind the name of the program in `/proc/self/stat`. */
const ENV_START = 47
const ENV_END = 48

// The module is loaded here, so that commands that erase nothing begin some milliseconds earlier.
const fs = () => process.getBuiltinModule('node:fs')

/**
 * Takes a variable out of the environment that the kernel shows of this process. To delete it is not enough:
 * `/proc/PID/environ` shows the environment of the start, to every process of its user, for as long as it
 * runs. So the value is overwritten where the kernel reads it, in the memory of this process itself. Returns
 * false if it may still be read there; elsewhere than on Linux there is no such file.
 */
export function eraseVariable(name: string): boolean {
  const isShown = process.platform === 'linux'
  try {
    if (isShown) overwrite(name)
  } catch {
    // A value that still stands is found below.
  }
  return !isShown || valueShown(name) === undefined
}

function overwrite(name: string): void {
  const { closeSync, openSync, readSync, writeSync } = fs()
  const memory = openSync('/proc/self/mem', 'r+')
  try {
    const { start, length } = region()
    const bytes = Buffer.alloc(length)
    const read = readSync(memory, bytes, 0, length, start)
    for (let at = 0; at < read; ) {
      const end = bytes.indexOf(0, at)
      const next = end === -1 ? read : end
      const value = at + name.length + 1
      if (bytes.toString('latin1', at, value) === `${name}=` && value < next)
        writeSync(memory, Buffer.alloc(next - value), 0, next - value, start + value)
      at = next + 1
    }
  } finally {
    closeSync(memory)
  }
}

function region(): { readonly start: number; readonly length: number } {
  const stat = fs().readFileSync('/proc/self/stat', 'latin1')
  // The name of the program stands in brackets, and may hold some itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const start = Number(fields[ENV_START])
  const length = Number(fields[ENV_END]) - start
  if (!(start > 0 && length > 0)) throw new Error('the kernel does not say where the environment is')
  return { start, length }
}

function valueShown(name: string): string | undefined {
  const entries = fs().readFileSync('/proc/self/environ', 'latin1').split('\0')
  const value = entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1)
  return value === '' ? undefined : value
}
