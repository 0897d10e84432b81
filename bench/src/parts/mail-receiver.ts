import { loopbackSmtp } from '../../../test/support/smtp-server.ts'
import type { StartPart } from '../part.ts'

/** A mail relay that takes every message, and greets after `greetingMs`. */
export const start: StartPart<{ readonly greetingMs: number }> = async (options) => {
  const relay = await loopbackSmtp({}, options)
  // Messages that arrived are not looked at, and must not fill the memory.
  const forget = setInterval(() => relay.received.splice(0), 100)
  return {
    url: relay.url,
    stop: async () => {
      clearInterval(forget)
      await relay.stop()
    },
  }
}
