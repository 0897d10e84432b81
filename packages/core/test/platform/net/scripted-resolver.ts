import type { Resolver } from '../../../src/platform/net/dns.ts'

/**
 * A resolver that answers each question with the next entry of the host's script, repeats the last one, and
 * keeps the questions.
 */
export class ScriptedResolver implements Resolver {
  readonly asked: string[] = []
  readonly #scripts: Readonly<Record<string, readonly (readonly string[])[]>>

  constructor(scripts: Readonly<Record<string, readonly (readonly string[])[]>>) {
    this.#scripts = scripts
  }

  async resolve(host: string): Promise<readonly string[]> {
    const script = this.#scripts[host]
    if (!script) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    const turn = this.asked.filter((asked) => asked === host).length
    this.asked.push(host)
    return script[Math.min(turn, script.length - 1)] ?? []
  }
}
