import { open, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { Problem } from '../../kernel/problem.ts'

/** Longest path of a socket that every kernel takes. */
const MAX_PATH_BYTES = 103
/** Refusals of a file system without sockets, as some that are shared with another machine. */
const NO_SOCKETS = new Set(['EOPNOTSUPP', 'ENOTSUP', 'EPERM', 'EINVAL', 'ENAMETOOLONG'])
/** Answers of the kernel that mean that no process listens at a socket. */
const NOBODY = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'])

/**
 * Listens at a socket of a folder, which says nothing: that it is there shows that this process lives.
 * Disposing it deletes the socket.
 * @throws Problem `unavailable` if the file system has no sockets
 */
export async function lockSocket(folder: string, name: string): Promise<AsyncDisposable> {
  const server = await withSocketPath(folder, name, listening).catch((error: NodeJS.ErrnoException) => {
    throw NO_SOCKETS.has(error.code ?? '') ? socketless(folder, error) : error
  })
  return {
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => server.close(resolve))
      await rm(join(folder, name), { force: true })
    },
  }
}

/**
 * Whether a process listens at a socket of a folder. The kernel answers for it, however busy the process is,
 * and from every container of a machine: process ids mean nothing there.
 */
export function hasListener(folder: string, name: string): Promise<boolean> {
  return withSocketPath(folder, name, (path) => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(!NOBODY.has(code ?? '')))
    return promise
  })
}

/** Gives `work` a path of a socket in a folder: by the folder's descriptor when its own path is too long. */
export async function withSocketPath<T>(
  folder: string,
  name: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const path = join(folder, name)
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return work(path)
  const handle = await open(folder)
  try {
    return await work(`/proc/self/fd/${handle.fd}/${name}`)
  } finally {
    await handle.close()
  }
}

function listening(path: string): Promise<Server> {
  const { promise, resolve, reject } = Promise.withResolvers<Server>()
  const server = createServer((socket) => socket.destroy())
  // It stays: a process that has no descriptor left may fail to accept, which says nothing here.
  server.on('error', reject)
  // A process that has nothing else to do may end.
  server.listen(path, () => resolve(server.unref()))
  return promise
}

const socketless = (folder: string, { code }: NodeJS.ErrnoException) =>
  new Problem('unavailable', {
    detail: `${folder} cannot hold a socket (${code}): name a folder on a local disk`,
  })
