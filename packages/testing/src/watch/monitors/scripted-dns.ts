import type { DnsClient } from '@svc/core'
import type { DnsBatch, DnsQuestion, DnsReply } from '@svc/core/ports'

/** The DNS server that tests use for monitors that name no resolvers. */
export const SCRIPTED_SERVER = '192.0.2.53'

/**
 * A DNS client that follows a script and records the questions; it asks no server. A name without a script
 * does not exist.
 */
export class ScriptedDns implements DnsClient {
  readonly questions: DnsQuestion[] = []
  readonly #scripts = new Map<string, (DnsReply | 'silence')[]>()
  readonly #silent = new Set<() => void>()

  /** Sets the records that every server returns for a name, for any type. */
  answer(host: string, ...records: string[]): void {
    this.replies(host, { status: 'records', records })
  }

  /**
   * Sets the replies for a name, one per question; the last reply repeats. `silence` lasts until the caller
   * gives up.
   */
  replies(host: string, ...replies: (DnsReply | 'silence')[]): void {
    this.#scripts.set(host, replies)
  }

  /** Sets the replies of one server for a name. */
  repliesOf(server: string, host: string, ...replies: (DnsReply | 'silence')[]): void {
    this.#scripts.set(`${server} ${host}`, replies)
  }

  systemServers(): readonly string[] {
    return [SCRIPTED_SERVER]
  }

  batch(): DnsBatch {
    return {
      ask: (question) => this.#ask(question),
      cancel: () => {
        for (const giveUp of this.#silent) giveUp()
        this.#silent.clear()
      },
    }
  }

  async #ask(question: DnsQuestion): Promise<DnsReply> {
    this.questions.push(question)
    const { server, host } = question
    const script = this.#scripts.get(`${server} ${host}`) ?? this.#scripts.get(host) ?? []
    const reply = (script.length > 1 ? script.shift() : script[0]) ?? { status: 'nxdomain' }
    if (reply === 'silence') await new Promise<void>((resolve) => this.#silent.add(resolve))
    return reply === 'silence' ? { status: 'error', error: 'timeout' } : reply
  }
}
