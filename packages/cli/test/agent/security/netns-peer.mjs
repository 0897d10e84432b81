// A machine of the rig: listens, connects and echoes as it is told over its channel. Run inside a network
// namespace.
import { connect, createServer } from 'node:net'

const links = new Map()
let made = 0

/** A SYN that is dropped has no answer: this long is far beyond the time of one here. */
const DROPPED_MS = 700

const does = {
  /** Echoes its input, or hands it on to a socket of the file system. */
  listen: ({ port, path }) =>
    new Promise((resolve) => {
      const serve = (socket) => {
        const other = path === undefined ? socket : connect(path)
        for (const end of [socket, other]) end.on('error', () => {})
        socket.on('close', () => other.destroy())
        other.on('close', () => socket.destroy())
        socket.pipe(other)
        if (other !== socket) other.pipe(socket)
      }
      createServer(serve).listen(port, '::', () => resolve(true))
    }),
  connect: ({ host, port }) =>
    new Promise((resolve) => {
      const socket = connect({ host, port })
      const timer = setTimeout(() => end('dropped'), DROPPED_MS)
      const end = (said) => {
        clearTimeout(timer)
        if (typeof said === 'string') socket.destroy()
        resolve(said)
      }
      socket.on('error', ({ code }) => end(code))
      socket.once('connect', () => {
        made += 1
        links.set(made, socket)
        end(made)
      })
    }),
  /** Whether a text comes back. */
  echo: ({ link, text }) =>
    new Promise((resolve) => {
      const socket = links.get(link)
      const timer = setTimeout(() => resolve(false), DROPPED_MS * 2)
      socket.once('data', (data) => {
        clearTimeout(timer)
        resolve(data.toString() === text)
      })
      socket.write(text)
    }),
}

process.on('message', async ({ id, what, ...given }) => {
  process.send({ id, said: await does[what](given) })
})
process.on('disconnect', () => process.exit())
process.send({ id: 0 })
