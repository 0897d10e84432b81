// The process around one part: node part-child.ts <module> <options as JSON>. Ends when its parent is gone.
import process from 'node:process'
import { type Hotspots, watchHotspots } from './measure/hotspots.ts'
import type { Part, Usage } from './part.ts'

interface Asked {
  readonly id: number
  readonly name: string
  readonly input: unknown
}

const [, , module = '', options = '{}'] = process.argv
const send = (message: unknown) => process.send?.(message)

let endWatch: (() => Promise<Hotspots>) | undefined

function usage(): Usage {
  const { user, system } = process.cpuUsage()
  return { cpuMicros: user + system, rssBytes: process.memoryUsage.rss() }
}

/** Bytes that are in use in JavaScript's heap, and outside for it; the part is started with `--expose-gc`. */
function heapBytes(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function answer(part: Part, { name, input }: Asked): Promise<unknown> {
  if (name === 'usage') return usage()
  if (name === 'heap') return heapBytes()
  if (name === 'stop') return part.stop()
  if (name === 'watch') {
    endWatch = await watchHotspots()
    return
  }
  if (name === 'hotspots') return endWatch?.()
  const command = part.commands?.[name]
  if (command === undefined) throw new Error(`the part has no command ${name}`)
  return command(input as never)
}

// Nobody is left to be measured for.
process.on('disconnect', () => process.exit(0))
// Ctrl-C reaches the whole group; the parent says when to stop.
process.on('SIGINT', () => {})
try {
  const part: Part = await (await import(module)).start(JSON.parse(options))
  process.on('message', (asked: Asked) => {
    void answer(part, asked).then(
      (result) => send({ id: asked.id, result }),
      (error: unknown) => send({ id: asked.id, error: error instanceof Error ? error.stack : String(error) }),
    )
  })
  send({ ready: { url: part.url } })
} catch (error) {
  send({ failed: error instanceof Error ? error.stack : String(error) })
}
