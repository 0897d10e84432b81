// Visitors of applications: node visitors.mjs FILE, which holds their choices (VisitorChoices).
// They ask as fast as they can for a moment, which gives the measure, then at half of it at most, or at the
// rate that they are given; with streams, sockets and uploads besides, until the file `until` is there. The
// last line is their report.
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, get, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from '/srv/ws/wrapper.mjs'

const choices = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const {
  port,
  uploadPort,
  measureMs,
  perSecond,
  mostPerSecond = Infinity,
  lasting = 0,
  until,
  progress,
} = choices
const WORKERS = 16
const MOST_WAITING = 400
const LATE_MS = 10_000
const TICK_MS = 200
const LATE_TICKS = LATE_MS / TICK_MS
const UPLOADS = 2
const PART = randomBytes(20_000)
const PARTS = 50

const kinds = choices.kinds.map(({ isKept, host, ...kind }) => ({
  path: '/',
  port,
  ...kind,
  agent: isKept ? new Agent({ keepAlive: true, maxSockets: 8, scheduling: 'fifo' }) : false,
  headers: host === undefined ? {} : { host },
  isProxied: host !== undefined,
}))
const seen = {
  asked: {},
  answered: {},
  failed: {},
  faults: [],
  repeated: 0,
  words: {},
  slowestMs: 0,
  uploads: 0,
  lives: [],
}
/** The last moment at which each instance answered a new connection: until then it was visited. */
const visited = {}
const count = (counts, name) => {
  counts[name] = (counts[name] ?? 0) + 1
}
const fail = (name, why) => {
  count(seen.failed, name)
  if (seen.faults.length < 20) seen.faults.push(`${new Date().toISOString()} ${name}: ${why}`)
}
const isOver = () => existsSync(until)

/** Asks once. A kept connection that ended while it was idle is no failure: browsers ask again. */
function ask({ name, isProxied, ...kind }, isAgain = false) {
  const began = performance.now()
  return new Promise((done) => {
    const asked = get({ host: '127.0.0.1', timeout: LATE_MS, ...kind }, (response) => {
      let text = ''
      if (kind.isRead) response.on('data', (part) => (text += part))
      else response.resume()
      response.once('error', ({ code }) => done(`an answer that broke off: ${code}`))
      response.once('end', () => {
        seen.slowestMs = Math.max(seen.slowestMs, Math.round(performance.now() - began))
        if (!kind.agent) visited[response.headers['x-instance']] = performance.now()
        if (response.statusCode !== 200) return done(`status ${response.statusCode}`)
        if (kind.isRead && text === '') return done('an empty answer')
        if (kind.isRead) count(seen.words, text.split(' ')[0])
        done()
      })
    })
    asked.once('timeout', () => asked.destroy(new Error('no answer in time')))
    asked.once('error', (error) => {
      const isIdle = isProxied && asked.reusedSocket && error.code === 'ECONNRESET'
      if (!isIdle || isAgain) return done(error.code ?? error.message)
      seen.repeated += 1
      ask({ ...kind, name, isProxied, agent: false }, true).then(done)
    })
  })
}

async function visit(kind) {
  count(seen.asked, kind.name)
  const fault = await ask(kind)
  if (fault === undefined) count(seen.answered, kind.name)
  else fail(kind.name, fault)
}

/** Returns how many requests a second are answered while as many as can are asked. */
async function measured() {
  const end = performance.now() + measureMs
  let answered = 0
  const work = async (first) => {
    for (let turn = first; performance.now() < end; turn += 1) {
      const fault = await ask(kinds[turn % kinds.length])
      if (fault === undefined) answered += 1
      else fail('measure', fault)
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, (_, index) => work(index)))
  return (answered / measureMs) * 1000
}

/** Asks at a rate, whether answers come or not. Returns the seconds that it took. */
async function requests(rate) {
  const began = performance.now()
  let asked = 0
  const going = new Set()
  while (!isOver()) {
    const due = ((performance.now() - began) / 1000) * rate
    for (; asked < due; asked += 1) {
      // Too many that wait are too few that ask, which the rate tells.
      if (going.size >= MOST_WAITING) continue
      const one = visit(kinds[asked % kinds.length]).finally(() => going.delete(one))
      going.add(one)
    }
    await pause(10)
  }
  await Promise.all(going)
  return (performance.now() - began) / 1000
}

/** A stream or a socket that is open, until its application or the end of all visits ends it. */
class Lasting {
  #isLeaving = false
  #timer

  constructor(kind, { tick = () => {}, leave }) {
    this.kind = kind
    this.#timer = setInterval(() => {
      if (!isOver()) return tick()
      this.#isLeaving = true
      leave()
    }, TICK_MS)
  }

  /** Notes its end. `instance` is unknown when it never began. */
  end(instance, how) {
    clearInterval(this.#timer)
    if (this.#isLeaving) return
    if (instance === undefined) fail(this.kind, how)
    else seen.lives.push({ kind: this.kind, instance, how, at: performance.now() })
  }
}

function stream() {
  return new Promise((done) => {
    let last = ''
    let instance
    const asked = get({ host: '127.0.0.1', port, path: '/stream', agent: false }, (response) => {
      instance = response.headers['x-instance']
      response.on('data', (part) => {
        last = (last + part).slice(-20)
      })
      response.once('error', ({ code }) => end(code))
      response.once('end', () => end(last.includes('bye') ? 'asked to end' : 'cut'))
    })
    const lasting = new Lasting('stream', { leave: () => asked.destroy() })
    const end = (how) => done(lasting.end(instance, how))
    asked.once('error', ({ code }) => end(code))
  })
}

function socket() {
  return new Promise((done) => {
    const opened = new WebSocket(`ws://127.0.0.1:${port}/`)
    let instance
    let waiting = ''
    let ticks = 0
    let fault
    const tick = () => {
      if (instance === undefined) return
      ticks = waiting === '' ? 0 : ticks + 1
      if (ticks === LATE_TICKS) fail('socket', 'no echo in time')
      if (waiting !== '') return
      waiting = String(Math.random())
      opened.send(waiting)
    }
    const lasting = new Lasting('socket', { tick, leave: () => opened.close() })
    opened.on('message', (data) => {
      const word = String(data)
      if (instance === undefined) instance = word
      else if (word === waiting) waiting = ''
      else fail('socket', 'another echo')
    })
    opened.on('error', ({ message }) => {
      fault = message
    })
    opened.on('close', (code) =>
      done(lasting.end(instance, code === 1001 ? 'asked to end' : (fault ?? `cut ${code}`))),
    )
  })
}

/** Sends a body for ten seconds. */
function upload() {
  return new Promise((done) => {
    const hash = createHash('sha256')
    let parts = 0
    const end = (why) => {
      clearInterval(timer)
      sent.removeAllListeners('error').on('error', () => {})
      if (why === undefined) seen.uploads += 1
      else fail('upload', why)
      done()
    }
    const sent = request(
      { host: '127.0.0.1', port: uploadPort, method: 'POST', agent: false },
      async (response) => {
        let text = ''
        try {
          for await (const part of response) text += part
          const isWhole = text === `${PART.length * PARTS} ${hash.digest('hex')}`
          end(isWhole ? undefined : `${response.statusCode} ${text}`)
        } catch ({ code }) {
          end(code)
        }
      },
    )
    sent.once('error', ({ code }) => end(code))
    const timer = setInterval(() => {
      sent.write(PART)
      hash.update(PART)
      parts += 1
      if (parts < PARTS) return
      clearInterval(timer)
      sent.end()
    }, TICK_MS)
  })
}

const again = async (one) => {
  while (!isOver()) await one()
}
const times = (number, one) => Array.from({ length: number }, () => again(one))
const sum = (counts) => Object.values(counts).reduce((all, each) => all + each, 0)

const served = perSecond === undefined ? await measured() : 2 * perSecond
const rate = Math.min(served / 2, mostPerSecond)
const note = () => writeFileSync(progress, `${sum(seen.answered)} ${sum(seen.failed)}\n`)
const noting = setInterval(note, TICK_MS)
const [seconds] = await Promise.all([
  requests(rate),
  ...times(lasting, stream),
  ...times(lasting, socket),
  ...times(uploadPort === undefined ? 0 : UPLOADS, upload),
])
clearInterval(noting)
const lives = seen.lives.map(({ at, ...life }) => ({
  ...life,
  afterMs: Math.round(at - (visited[life.instance] ?? 0)),
}))
const rates = { served: Math.round(served), perSecond: Math.round(sum(seen.answered) / seconds) }
console.log(JSON.stringify({ ...seen, ...rates, lives }))
process.exit(0)
