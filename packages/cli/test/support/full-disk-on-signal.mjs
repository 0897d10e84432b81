// Loaded into a server with --import: from SIGUSR2 on every write to a file fails as on a full disk.
import fs, { writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

process.on('SIGUSR2', () => {
  fs.writeSync = (file, ...rest) => {
    if (file <= 2) return writeSync(file, ...rest)
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', errno: -28 })
  }
  syncBuiltinESMExports()
})
