import type { DnsBatch, DnsClient, DnsQuestion, DnsReply } from '@svc/core'

/** The server that monitors without resolvers of their own ask in tests. */
export const SCRIPTED_SERVER = '192.0.2.53'

/**
 * DNS by script: nothing is asked, and what was asked for is kept. A name without a script does not exist.
 */
export class ScriptedDns implements DnsClient {
  readonly questions: DnsQuestion[] = []
  readonly #scripts = new Map<string, (DnsReply | 'silence')[]>()
  readonly #silent = new Set<() => void>()

  /** Sets the records of a name, the same for every server and type. */
  answer(host: string, ...records: string[]): void {
    this.replies(host, { status: 'records', records })
  }

  /**
   * Sets what a name is answered, one reply a question; the last one stays. `silence` lasts until it is given
   * up.
   */
  replies(host: string, ...replies: (DnsReply | 'silence')[]): void {
    this.#scripts.set(host, replies)
  }

  /** Sets what one server answers for a name. */
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
