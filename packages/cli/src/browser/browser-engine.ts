import type { BrowserEngine, BrowserEngineTools } from '@svc/core'
import type { BrowserPage, PageOptions } from '@svc/core/adapters'
import { chromiumLack } from './chromium-program.ts'

/** Makes the browser of a plane. Chromium's library is loaded with the first page: few planes open any. */
export const browserEngine = (tools: BrowserEngineTools): BrowserEngine => new LateEngine(tools)

class LateEngine implements BrowserEngine {
  readonly #tools: BrowserEngineTools
  #engine: Promise<BrowserEngine> | undefined

  constructor(tools: BrowserEngineTools) {
    this.#tools = tools
  }

  get lack(): string | undefined {
    return chromiumLack(this.#tools.config)
  }

  async open(options: PageOptions): Promise<BrowserPage> {
    this.#engine ??= this.#load()
    return (await this.#engine).open(options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#engine)?.[Symbol.asyncDispose]()
  }

  async #load(): Promise<BrowserEngine> {
    return (await import('./chromium-engine.ts')).chromiumEngine(this.#tools)
  }
}
