import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { embeddedFolder } from '@svc/testing'
import { MadeUp, SPELLINGS } from '../../../../test/support/made-up-secrets.ts'
import { chunk, modelServer, streamed } from '../../../../test/support/model-server.ts'
import { Recording } from '../../../../test/support/recording-io.ts'
import { fragmentsIn } from '../../../../test/support/secret-fragments.ts'
import { jsonHere } from '../support/svc-here.ts'
import { SvcProcess } from '../support/svc-process.ts'

const DOCS = join(import.meta.dirname, '../../../../docs')
const SERVE = ['serve', '--port', '0', '--data-dir', '.svc']
const ORIGIN = 'https://shop.example'
const INSTALL = 'How do I install the agent?'
const PATIENCE_MS = 120_000
const HAS_CURL = spawnSync('curl', ['--version']).status === 0

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'))
  await embeddedFolder(join(cwd, '.svc'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

interface Asked {
  /** The output of curl, as it arrives. */
  readonly out: Recording
  /** Head and body of the answer, when it has ended. */
  readonly answer: Promise<{ readonly head: string; readonly body: string }>
}

/** Asks as a page on `origin` would, by a real curl that prints each piece as it arrives. */
function curl(url: string, body: unknown, origin = ORIGIN): Asked {
  const headers = ['-H', `Origin: ${origin}`, '-H', 'Content-Type: application/json']
  const args = ['-sN', '-i', ...headers, '-d', JSON.stringify(body), `${url}/api/chat`]
  const child = spawn('curl', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const out = new Recording()
  child.stdout.setEncoding('utf8').on('data', (text: string) => out.write(text))
  const answer = once(child, 'close').then(([code]) => {
    if (code !== 0) throw new Error(`curl ended with ${code}: ${out.text}`)
    const [head = '', ...rest] = out.text.split('\r\n\r\n')
    return { head: head.toLowerCase(), body: rest.join('\r\n\r\n') }
  })
  return { out, answer }
}

const eventsOf = (body: string): Readonly<Record<string, unknown>>[] =>
  body
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => JSON.parse(frame.slice('data: '.length)))

const saidIn = (body: string): string =>
  eventsOf(body)
    .map(({ text }) => text ?? '')
    .join('')

/** Removes the ids, which differ from answer to answer. */
const withoutIds = (text: string): string => text.replaceAll(/\b(chat|msg)_[0-9a-z]{26}\b/g, '$1_…')

/** The first paragraph under a heading of the real documentation. */
async function passage(page: string, heading: string): Promise<string> {
  const text = await readFile(join(DOCS, page), 'utf8')
  return text.split(`\n${heading}\n\n`)[1]?.split('\n\n')[0] ?? ''
}

const title = HAS_CURL
  ? 'curl asks a served chat'
  : 'curl asks a served chat (skipped: no curl on this machine)'
const suite = HAS_CURL ? describe : describe.skip

suite(title, () => {
  test(
    'Without a model key the answer stands on the documentation, as docs/chat.md shows it, and on the folder of the settings',
    async () => {
      await mkdir(join(cwd, 'site', 'blog'), { recursive: true })
      const post =
        '# Frozen parcels\n\nFrozen parcels leave the Reykjavik warehouse on Tuesdays, packed in dry ice.\n'
      await writeFile(join(cwd, 'site', 'blog', 'parcels.md'), post)
      const env = { CHAT_ALLOWED_ORIGINS: ORIGIN, CHAT_CONTENT_DIR: join(cwd, 'site') }
      await using svc = new SvcProcess(SERVE, { cwd, env })
      const url = await svc.serving()

      const { head, body } = await curl(url, { message: INSTALL, sessionId: 's-4711' }).answer
      expect(head).toMatch(/^http\/1\.1 200 /)
      expect(head).toContain('content-type: text/event-stream')
      expect(head).toContain(`access-control-allow-origin: ${ORIGIN}`)
      const shown = /^```\n(data: [\s\S]*?)\n```$/m.exec(await readFile(join(DOCS, 'chat.md'), 'utf8'))?.[1]
      expect(withoutIds(body)).toBe(withoutIds(`${shown}\n\n`))

      const further = await curl(url, { message: 'When do frozen parcels leave the warehouse?' }).answer
      const events = eventsOf(further.body)
      expect(events[0]).toMatchObject({ type: 'meta', grounded: true, mode: 'ai' })
      expect(saidIn(further.body)).toContain('on Tuesdays, packed in dry ice.')
      expect(events.at(-1)).toMatchObject({
        type: 'done',
        engine: 'canned',
        sources: [{ title: 'Frozen parcels', url: '/blog/parcels' }],
      })

      const foreign = await curl(url, { message: INSTALL }, 'https://evil.test').answer
      expect(foreign.head).toMatch(/^http\/1\.1 403 /)
      expect(foreign.body).toBe('{"error":"forbidden"}')
    },
    PATIENCE_MS,
  )

  test(
    'With a model its words arrive as it says them; it is shown the passage of the documentation and no secret of the question',
    async () => {
      await using model = await modelServer()
      const open = Promise.withResolvers<ServerResponse>()
      model.answer((response) => {
        streamed(response).write(chunk('Bring a build of svc '))
        open.resolve(response)
      })
      const env = {
        CHAT_ALLOWED_ORIGINS: ORIGIN,
        LLM_API_KEY: 'key-of-the-scripted-model',
        LLM_BASE_URL: model.url,
        SERVICE_LOG_LEVEL: 'trace',
      }
      await using svc = new SvcProcess(SERVE, { cwd, env })
      const url = await svc.serving()
      const secret = SPELLINGS['license key']?.(new MadeUp(4711)) ?? ''
      const asked = curl(url, { message: `${INSTALL} Our license key is ${secret}`, contact: secret })

      // The model goes on when the visitor has seen its first words.
      await asked.out.until('"type":"delta","text":"Bring a build')
      expect(asked.out.text).not.toContain('"done"')
      const response = await open.promise
      response.end(`${chunk('to the host.')}${chunk('', 'stop')}data: [DONE]\n\n`)
      const { body } = await asked.answer
      const events = eventsOf(body)
      expect(events[0]).toMatchObject({ type: 'meta', grounded: true, mode: 'ai' })
      expect(saidIn(body)).toBe('Bring a build of svc to the host.')
      const done = events.at(-1) as { sources: { url: string }[] }
      expect(done).toMatchObject({ type: 'done', engine: 'llm' })
      expect(done.sources.map((source) => source.url)).toContain('/docs/agents#install-the-agent')

      const [request] = model.seen
      expect(model.seen).toHaveLength(1)
      expect(request?.headers.authorization).toBe('Bearer key-of-the-scripted-model')
      const [rules, question] = request?.body.messages ?? []
      const told = await passage('agents.md', '## Install the agent')
      expect(told).toContain('svc agent run')
      expect(rules?.content).toContain(told)
      expect(question).toEqual({
        role: 'user',
        content: `${INSTALL} Our license key is [redacted:license-key]`,
      })

      const { conversations } = await jsonHere<{ conversations: { id: string }[] }>(['chat', 'list'], { cwd })
      const stored = await jsonHere(['chat', 'show', conversations[0]?.id ?? ''], { cwd })
      expect(JSON.stringify(stored)).toContain('[redacted:license-key]')
      const places = [model.text(), body, svc.err.text, JSON.stringify(stored)]
      expect(places.flatMap((text) => fragmentsIn(text, [secret]))).toEqual([])
      expect(fragmentsIn(svc.err.text, ['key-of-the-scripted-model'])).toEqual([])
    },
    PATIENCE_MS,
  )
})
