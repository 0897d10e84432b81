import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { demandUnserved } from '../../src/commands/serve/unserved-folder.ts'

test('A folder whose control socket answers is not opened, though the process of its lock cannot be seen', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-served-'))
  const server = createServer((socket) => socket.on('error', () => {})).listen(join(folder, 'control.sock'))
  try {
    await once(server, 'listening')
    // In the other container it is the first process; here the first one is another.
    await writeFile(
      join(folder, 'lock'),
      JSON.stringify({ pid: 1, started: '0', boot: 'other', command: '' }),
    )
    await expect(demandUnserved(folder, '.')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('stop the service that has the folder open'),
    })
    server.close()
    await once(server, 'close')
    await demandUnserved(folder, '.')
  } finally {
    server.close()
    await rm(folder, { recursive: true })
  }
})
