import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { Problem } from '@svc/core'
import { writeDurably } from '../../agent/state/durable-file.ts'
import { SYSTEM } from './places.ts'
import { type Route, SERVICE_RANGE, switchRules, TABLE } from './switch-rules.ts'
import { ran } from './systemctl.ts'

/** The file that loads the rules before anything else serves, when the machine starts. */
const RULES_FILE = join(SYSTEM.state, 'rules.nft')
const AGAIN_MS = 1_000

/** @throws Problem `conflict` with the words of nft */
async function nft(rules: string): Promise<void> {
  const child = spawn('nft', ['-f', '-'], { stdio: ['pipe', 'ignore', 'pipe'] })
  const ended = once(child, 'close')
  child.stdin.on('error', () => {})
  child.stdin.end(rules)
  try {
    const [said, [code]] = await Promise.all([text(child.stderr), ended])
    if (code === 0) return
    throw new Problem('conflict', {
      detail: `nft refused the rules of the applications: ${said.split('\n')[0]}`,
    })
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('conflict', { detail: 'the program nft does not run: install nftables' })
  }
}

/** Leads visitors to instances, by rules of the kernel. */
export class Switch implements Disposable {
  readonly #routes = new Map<string, Route>()
  readonly #guests: readonly number[]
  readonly #onFault: (fault: unknown) => void
  #turn: Promise<void> = Promise.resolve()
  #standing = ''
  /** Kernels without that module take no rules about the time that ended connections are remembered for. */
  #forgets = true
  #monitor: ChildProcess | undefined
  #again: NodeJS.Timeout | undefined
  #isLeaving = false

  constructor(guests: readonly number[], onFault: (fault: unknown) => void) {
    this.#guests = guests
    this.#onFault = onFault
  }

  /** Remembers the way to an application; `apply` makes it so. */
  set(app: string, route: Route | undefined): void {
    if (route === undefined) this.#routes.delete(app)
    else this.#routes.set(app, route)
  }

  /**
   * Makes the rules say what is remembered, if they do not.
   * @throws Problem `conflict` when the kernel does not take them: the rules then are as before
   */
  apply(): Promise<void> {
    const done = this.#turn.then(async () => {
      const routes = [...this.#routes.values()]
      let rules = switchRules(routes, this.#guests, this.#forgets)
      if (rules === this.#standing) return
      // A host without a way to the network would refuse to connect before its rules are asked.
      if (rules.includes(SERVICE_RANGE))
        await ran('ip', 'route', 'replace', 'local', SERVICE_RANGE, 'dev', 'lo')
      try {
        await nft(rules)
      } catch (error) {
        if (!this.#forgets) throw error
        rules = switchRules(routes, this.#guests, false)
        await nft(rules)
        this.#forgets = false
      }
      this.#standing = rules
      await writeDurably(RULES_FILE, rules)
    })
    this.#turn = done.catch(() => {})
    return done
  }

  /** Puts the rules back at once when somebody removes them, as a reload of the host's firewall does. */
  watch(): void {
    const monitor = spawn('nft', ['monitor'], { stdio: ['ignore', 'pipe', 'ignore'] })
    this.#monitor = monitor
    const deletions = ['table', 'chain', 'set'].map((part) => `delete ${part} inet ${TABLE}`)
    createInterface({ input: monitor.stdout }).on('line', (line) => {
      if (deletions.some((deletion) => line.startsWith(deletion))) this.#restore()
    })
    monitor.once('error', this.#onFault)
    monitor.once('close', () => {
      if (this.#isLeaving) return
      // Changes that came while nobody listened are seen as well.
      this.#again = setTimeout(() => {
        this.watch()
        this.#restore()
      }, AGAIN_MS)
    })
  }

  [Symbol.dispose](): void {
    this.#isLeaving = true
    clearTimeout(this.#again)
    this.#monitor?.kill()
  }

  #restore(): void {
    this.#standing = ''
    this.apply().catch(this.#onFault)
  }
}
