import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { encodeLines } from '../../packages/core/src/work/jobs/job-log-body.ts'
import type { Query } from '../src/cast/database.ts'
import { folderDatabase } from '../src/cast/folder-database.ts'
import type { Barring } from '../src/cast/operator.ts'
import { type Entry, Journal } from '../src/journal.ts'
import { type Host, lineText, signature } from '../src/names.ts'
import { examine, type Findings } from '../src/witness/examination.ts'

const host = (number: number, licenseId: string): Host => ({
  number,
  fingerprint: `h${number}`,
  licenseId,
  licenseKey: 'k',
  kind: 'light',
})
const HOSTS = [host(1, 'lic_a'), host(2, 'lic_a'), host(3, 'lic_b')] as const
const [FIRST, SECOND] = HOSTS
const HOUR = 3_600_000

let folder: string
let query: Query
let closing: Promise<void>
const told = Promise.withResolvers<void>()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-chaos-'))
  const database = await folderDatabase(folder)
  await new Promise<void>((resolve) => {
    closing = database.examine(async (opened) => {
      query = opened
      resolve()
      await told.promise
    })
  })
}, 60_000)
afterAll(async () => {
  told.resolve()
  await closing
  await rm(folder, { recursive: true, force: true })
})

/** A made-up course of a run, in a transaction that is rolled back. */
class Story {
  readonly #entries: Entry[] = []
  readonly barrings: Barring[] = []

  run(sql: string): Promise<unknown> {
    return query(sql)
  }

  tell(entry: Entry): void {
    this.#entries.push(entry)
  }

  /** Lets a host claim the job, and records the acknowledgement. */
  async claim(by: Host, attempt: number, from = 'now()'): Promise<void> {
    await this.run(`update jobs set state = 'claimed', claimed_by = '${by.fingerprint}', attempt = ${attempt}, claimed_at = clock_timestamp(),
      available_at = ${from} + interval '1 hour' where id = 'job_1'`)
    this.tell({ kind: 'claim', ...about(by, attempt) })
  }

  async end(by: Host, attempt: number, state = 'succeeded', code = signature(by, attempt)): Promise<void> {
    await this.run(`update jobs set state = '${state}', exit_code = ${code}, finished_at = clock_timestamp()
      where id = 'job_1'`)
    this.tell({ kind: 'status', state, ...about(by, attempt) })
  }

  /** Lets a message reach its endpoint, which accepts it. */
  arrive(job: string, sent: number): void {
    this.tell({ kind: 'message', license: 'lic_a', job, sent, got: sent, state: 'accepted' })
  }

  async chunk(places: readonly number[], writer: Host, first = 0): Promise<void> {
    const lines = places.map((place) => ({ ts: 1, line: lineText(writer.fingerprint, 'job_1', 1, place) }))
    const body = Buffer.from(await encodeLines(lines)).toString('hex')
    await this.run(`insert into job_log_chunks (job_id, first_line, attempt, first_offset, next_offset, lines, accepted,
      job_chars, body) values ('job_1', ${first}, 1, ${first}, ${first + lines.length}, ${lines.length},
      ${lines.length}, 1, '\\x${body}')`)
  }

  async findings(): Promise<Findings> {
    const path = join(folder, 'story.journal')
    await rm(path, { force: true })
    using journal = new Journal(path)
    for (const entry of this.#entries) journal.write(entry)
    const testimony = { journals: [path], barrings: this.barrings }
    return examine(query, HOSTS, testimony, { at: Date.now(), probes: [] })
  }
}

const about = ({ fingerprint, licenseId }: Host, attempt: number) => ({
  host: fingerprint,
  license: licenseId,
  job: 'job_1',
  attempt,
  sent: Date.now(),
  got: Date.now(),
})

/** Returns the rules that a story breaks. */
const broken = async (tell: (story: Story) => Promise<void>) => [
  ...new Set((await breaches(tell)).map(({ rule }) => rule)),
]
/** Returns the promises that a story breaks, in words. */
const brokenPromises = async (tell: (story: Story) => Promise<void>) => [
  ...new Set((await breaches(tell)).map(({ evidence }) => evidence.split(':', 1)[0])),
]

async function breaches(tell: (story: Story) => Promise<void>): Promise<Findings['breaches']> {
  await query('begin')
  const story = new Story()
  await query(`insert into jobs (id, license_id, kind, payload, max_attempts, timeout_seconds)
    values ('job_1', 'lic_a', 'prune', '{}', 3, 60)`)
  await tell(story)
  const { breaches: found } = await story.findings()
  await query('rollback')
  return found
}

/** Gives the license of the story an endpoint, which is told of its jobs. */
const endpoint = (story: Story) =>
  story.run(`insert into webhook_endpoints (id, license_id, url, description, events, max_age_seconds, secret,
    created_at, updated_at) values ('whe_1', 'lic_a', 'http://127.0.0.1/', '', '{job.*}', 3600, 's', now(), now())`)

/** A job that is handed out and ends, with its two messages sent and accepted. */
async function toldJob(story: Story): Promise<void> {
  await endpoint(story)
  await story.claim(FIRST, 1)
  await story.end(FIRST, 1)
  await story.run(`update deliveries set state = 'sent', attempts = 1, settled_at = clock_timestamp()`)
  const messages = await query<{ payload: string }>('select payload from deliveries order by created_at, id')
  for (const [place, { payload }] of messages.entries()) story.arrive(payload, Date.now() + place - 10)
}

const give = `update jobs set state = 'pending', claimed_by = null, available_at = now() where id = 'job_1'`

test('A story in which all is well breaks no promise', async () => {
  const rules = await broken(async (story) => {
    story.tell({ kind: 'enqueue', job: 'job_1', sent: 1, got: 2 })
    await story.claim(FIRST, 1)
    await story.run(give)
    await story.claim(SECOND, 2)
    await story.run(`update jobs set attempt = 2, state = 'running' where id = 'job_1'`)
    story.tell({ kind: 'status', state: 'running', ...about(SECOND, 2) })
    await story.end(SECOND, 2)
  })
  expect(rules).toEqual([])
}, 30_000)

test('A story in which each message arrives breaks no promise', async () => {
  expect(await broken(toldJob)).toEqual([])
}, 30_000)

describe('The witness convicts', () => {
  test.each<[string, string, (story: Story) => Promise<void>]>([
    [
      'a message without a delivery',
      'a message has a delivery to each endpoint',
      async (story) => {
        await toldJob(story)
        await story.run(`delete from deliveries where payload = (select max(payload) from deliveries)`)
      },
    ],
    [
      'an end that nobody is told of',
      'each hand-out and each end of a job is told once',
      async (story) => {
        await toldJob(story)
        await story.run(`delete from webhook_messages where type = 'job.succeeded'`)
      },
    ],
    [
      'a message that never arrived',
      'a message that counts as sent was accepted',
      async (story) => {
        await endpoint(story)
        await story.claim(FIRST, 1)
        await story.end(FIRST, 1)
        await story.run(`update deliveries set state = 'sent', attempts = 1, settled_at = clock_timestamp()`)
      },
    ],
    [
      'a message that comes again after its success',
      'nothing is sent again after its success is committed',
      async (story) => {
        await toldJob(story)
        const [row] = await query<{ payload: string }>('select payload from deliveries limit 1')
        story.arrive(row?.payload ?? '', Date.now() + HOUR)
      },
    ],
    [
      'messages that overtake each other',
      'the messages of a job come in order, unless one is tried again',
      async (story) => {
        await toldJob(story)
        const [row] = await query<{ payload: string }>(`select id as payload from webhook_messages
          where type = 'job.succeeded'`)
        story.arrive(row?.payload ?? '', Date.now() - HOUR)
      },
    ],
    [
      'a message that is given up early',
      'a message is given up after its last attempt alone',
      async (story) => {
        await toldJob(story)
        await story.run(`update deliveries set state = 'failed', attempts = 11`)
      },
    ],
    [
      'a message that nobody takes',
      'no message waits that may be sent',
      async (story) => {
        await toldJob(story)
        await story.run(`update deliveries set state = 'due', due_at = now() - interval '1 hour'`)
      },
    ],
  ])(
    '%s',
    async (_, promise, tell) => {
      expect(await brokenPromises(tell)).toEqual([promise])
    },
    30_000,
  )

  test.each<[string, string, (story: Story) => Promise<void>]>([
    [
      'a job that two hosts hold',
      'I1',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.claim(SECOND, 2)
        await story.end(SECOND, 2)
      },
    ],
    [
      'a job that is handed out under the same attempt',
      'I1',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.run(give)
        await story.claim(SECOND, 1)
        await story.end(SECOND, 1)
      },
    ],
    [
      'an end that another host has signed',
      'I2',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.end(FIRST, 1, 'succeeded', signature(SECOND, 1))
      },
    ],
    [
      'a status that was taken from somebody who did not hold the job',
      'I2',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.end(FIRST, 1)
        story.tell({ kind: 'status', state: 'succeeded', ...about(SECOND, 1) })
      },
    ],
    [
      'a line of a host that did not hold the job',
      'I2',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.chunk([0, 1], SECOND)
        await story.end(FIRST, 1)
      },
    ],
    [
      'an end that changes',
      'I3',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.end(FIRST, 1)
        await story.run(`update jobs set state = 'failed' where id = 'job_1'`)
      },
    ],
    [
      'a cancelled job that is queued again',
      'I3',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.run(`update jobs set cancel_requested_at = now() where id = 'job_1'`)
        await story.run(give)
        await story.claim(FIRST, 2)
        await story.end(FIRST, 2)
      },
    ],
    [
      'a job that was acknowledged and is gone',
      'I4',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.end(FIRST, 1)
        story.tell({ kind: 'enqueue', job: 'job_2', sent: 1, got: 2 })
      },
    ],
    ['a job that never ends', 'I4', (story) => story.claim(FIRST, 1)],
    [
      'a hand-out that was forgotten',
      'I4',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.end(FIRST, 1)
        story.tell({ kind: 'claim', ...about(FIRST, 2) })
      },
    ],
    [
      'an acknowledged line that is lost',
      'I5',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.chunk([0, 1], FIRST)
        story.tell({ kind: 'lines', first: 0, lines: 3, ...about(FIRST, 1) })
        await story.end(FIRST, 1)
      },
    ],
    [
      'a line that is stored twice',
      'I5',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.chunk([0, 1], FIRST)
        await story.chunk([1, 2], FIRST, 2)
        await story.end(FIRST, 1)
      },
    ],
    [
      'lines in another order',
      'I5',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.chunk([1, 0], FIRST)
        await story.end(FIRST, 1)
      },
    ],
    [
      'chunks that leave a gap',
      'I6',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.chunk([0, 1], FIRST, 5)
        await story.end(FIRST, 1)
      },
    ],
    [
      'a host of another license',
      'I7',
      async (story) => {
        await story.claim(HOSTS[2], 1)
        await story.end(HOSTS[2], 1)
      },
    ],
    [
      'a heartbeat that is lost',
      'I8',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.end(FIRST, 1)
        await story.run(
          `insert into agents (license_id, fingerprint, seq, last_heartbeat) values ('lic_a', 'h1', 4, now())`,
        )
        story.tell({ kind: 'beat', host: 'h1', license: 'lic_a', seq: 5, sent: 1, got: 2 })
      },
    ],
    [
      'a heartbeat that goes back',
      'seen',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.end(FIRST, 1)
        await story.run(
          `insert into agents (license_id, fingerprint, seq, last_heartbeat) values ('lic_a', 'h1', 4, now())`,
        )
        await story.run(`update agents set last_heartbeat = now() - interval '1 second'`)
      },
    ],
    [
      'a write under a suspended license',
      'I9',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.end(FIRST, 1)
        const at = Date.now()
        story.barrings.push({
          license: 'lic_a',
          asked: at - HOUR,
          since: at - HOUR,
          lifting: at + HOUR,
          lifted: at + HOUR,
        })
      },
    ],
    [
      'a refusal without a reason',
      'I9',
      async (story) => {
        await story.claim(FIRST, 1)
        await story.end(FIRST, 1)
        story.tell({ kind: 'barred', host: 'h1', license: 'lic_a', sent: 1, got: 2 })
      },
    ],
  ])(
    '%s (%s)',
    async (_, rule, tell) => {
      expect(await broken(tell)).toContain(rule)
    },
    30_000,
  )
})
