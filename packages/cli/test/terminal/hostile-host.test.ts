import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import { openLog } from '../../src/terminal/log.ts'
import { CliBench } from '../support/cli-bench.ts'
import { commandsIn, forgedIn, HOSTILE, STORABLE } from './hostile-text.ts'

let bench: CliBench
beforeEach(async () => {
  bench = await CliBench.open()
})
afterEach(() => bench[Symbol.asyncDispose]())

async function atTerminal(args: readonly string[], env = {}): Promise<RecordingIo> {
  const { io, ended } = bench.start(args, { isTty: true, env })
  await ended
  return io
}

const enqueue = () => ['jobs', 'enqueue', 'prune', '--license', bench.license.id]

describe('What a host calls itself', () => {
  test('is shown among the candidates of a name, and neither sets a title nor forges a line', async () => {
    await bench.host('a'.repeat(40), 'edge-1')
    // Hosts with one display id are listed by their whole fingerprints.
    const hostile = `${'a'.repeat(40)}\u001b]0;owned\u0007\u001b[2J\u001b[31m\r\nsvc: drained ${STORABLE}`
    await bench.host(hostile, 'edge-1')
    const { err, exitCode } = await atTerminal(['fleet', 'drain', 'edge-1'])
    expect(exitCode).toBe(2)
    expect(err.text).toContain('owned')
    expect(commandsIn(err.text)).toEqual([])
    expect(forgedIn(err.text)).toEqual([])
  })

  test.each([{}, { NO_COLOR: '1' }])(
    'is told in the notes of a followed job without its commands: %j',
    async (env) => {
      await bench.host('a'.repeat(40), `h\u001b[2J${STORABLE}`)
      await bench.json('fleet', 'drain', 'a'.repeat(40))
      const { io, ended } = bench.start([...enqueue(), '--follow'], { isTty: true, env })
      await io.err.until('is drained')
      io.signal('SIGINT')
      await ended
      expect(commandsIn(io.err.text)).toEqual([])
      expect(forgedIn(io.err.text)).toEqual([])
    },
  )

  test('is one word of the shell, at most, in a command made for copying', async () => {
    const fingerprint = "$(id)`id`';id>/some/file #"
    await bench.host(fingerprint, 'x;id>/some/file #')
    const drained = await atTerminal(['fleet', 'drain', 'x;id>/some/file #'])
    const { job } = await bench.json(...enqueue())
    const why = await atTerminal(['jobs', 'why', (job as { id: string }).id])
    for (const [text, end] of [
      [drained.err.text, / lets it\.\n$/],
      [why.out.text, /\n$/],
    ] as const) {
      const command = text.slice(text.indexOf('svc fleet undrain')).replace(end, '')
      const script = `svc() { printf '%s\\n' "$@"; }\n${command}`
      const { stdout } = await promisify(execFile)('sh', ['-c', script])
      expect(stdout).toBe(`fleet\nundrain\nagt_${fingerprint.slice(0, 12)}\n`)
    }
  })
})

describe('What a host logs', () => {
  const logged = async (...lines: readonly string[]) => {
    const host = await bench.host('f'.repeat(40))
    const { job } = await bench.json(...enqueue())
    const { id } = job as { id: string }
    await host.begin()
    await host.say(id, ...lines)
    return id
  }

  test('does not reach the clipboard through a pipe that ends at a terminal', async () => {
    const id = await logged('\u001b]52;c;ZXZpbA==\u0007', STORABLE)
    const { out } = await bench.run('jobs', 'logs', id)
    expect(out.text).toContain('ZXZpbA==')
    expect(commandsIn(out.text, true)).toEqual([])
    expect(forgedIn(out.text)).toEqual([])
  })

  test.each([
    ['8', 'seen'],
    ['08', 'seen'],
    ['4294967304', 'seen'],
    ['38;8', 'seen'],
    ['38;5;300;8', 'seen'],
    ['48;2;1;8', 'seen'],
    ['0;8', '\u001b[0mseen\u001b[0m'],
    [';8', '\u001b[0mseen\u001b[0m'],
    ['1;8;31', '\u001b[1;31mseen\u001b[0m'],
    ['58;5;8', '\u001b[5mseen\u001b[0m'],
  ])('is never hidden, spelled %s neither', async (parameters, shown) => {
    const id = await logged(`\u001b[${parameters}mseen`)
    expect((await atTerminal(['jobs', 'logs', id])).out.text).toBe(`${shown}\n`)
  })

  test('keeps the colours that readers know', async () => {
    const colours = ['1', '7', '31', '97;44', '38;5;8', '48;2;0;8;255', '']
    const id = await logged(...colours.map((parameters) => `\u001b[${parameters}mtext`))
    const { out } = await atTerminal(['jobs', 'logs', id])
    const kept = out.text.split('\n').map((line) => line.replace('text\u001b[0m', '').slice(2, -1))
    expect(kept).toEqual([...colours.slice(0, -1), '0', ''])
  })
})

test('A document at a terminal has no C1 control, DEL or bidi mark, and means the same', async () => {
  await bench.host('a'.repeat(40), 'h\u009b2J\u007f\u202egnp')
  for (const isTty of [true, false]) {
    const { io, ended } = bench.start(['fleet', 'servers', '--json'], { isTty })
    await ended
    expect(io.out.text).toContain('"h\\u009b2J\\u007f\\u202egnp"')
    expect(io.document).toMatchObject({ servers: [{ hostname: 'h\u009b2J\u007f\u202egnp' }] })
  }
})

test('The log of a server does not command the terminal with nested values, nor with names', () => {
  for (const isTty of [true, false]) {
    const io = new RecordingIo({ isTty, env: { NO_COLOR: '1' } })
    const log = openLog(io, 'info')
    const nested = { list: [{ [HOSTILE]: HOSTILE }], text: HOSTILE }
    log.warn({ nested, err: new Error(HOSTILE), [HOSTILE]: HOSTILE }, 'alerts')
    expect(io.err.text).toContain('hidden')
    expect(commandsIn(io.err.text)).toEqual([])
    expect(forgedIn(io.err.text)).toEqual([])
    expect(io.err.text.match(/\n/g)).toHaveLength(1)
  }
})
