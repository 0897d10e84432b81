import { createControlPlane, readConfig } from '@svc/core'
import { migrate, openStorage } from '@svc/core/sql'
import { verifiedDomain } from '../../../test/support/sending-domain.ts'
import { Histogram } from '../measure/histogram.ts'
import type { StartPart } from '../part.ts'
import type { Done } from '../scenario.ts'
import { numberFrom } from '../served.ts'

/** The product's mail. */
export interface SvcMailOptions {
  readonly databaseUrl: string
  readonly relay: string
  /** Messages that wait when a round begins. */
  readonly ready: number
}

const SENT = `select count(*) from email_messages where state = 'sent'`

/** Sends waiting messages, as the loop of `svc serve` does. */
export const start: StartPart<SvcMailOptions> = async ({ databaseUrl, relay, ready }) => {
  await migrate(databaseUrl)
  const storage = await openStorage({ url: databaseUrl })
  const config = readConfig({
    NODE_ENV: 'production',
    SERVICE_DATA_KEYS: `bench:${Buffer.alloc(32, 1).toString('base64')}`,
    EMAIL_SMTP_URL: relay,
    EMAIL_SMTP_ALLOW_PLAINTEXT: 'true',
    EMAIL_RETURN_PATH_HOST: 'bounce.example.com',
    EMAIL_SPF_IPS: '192.0.2.25',
    EMAIL_DAILY_LIMIT: '1000000',
  })
  const plane = createControlPlane({ config, storage })
  const { license } = await plane.licenses.issue({ label: 'bench' })
  await verifiedDomain(plane, license.id, 'mail.example.com')
  const fields = {
    from: 'ann@mail.example.com',
    to: 'bob@example.net',
    subject: 'hello',
    text: 'Good morning.',
  }
  const prepare = async () => {
    const waiting = await numberFrom(databaseUrl, `select count(*) from deliveries where state = 'due'`)
    for (let made = waiting; made < ready; made += 1)
      await plane.emails.sending.send({ owner: license.id, fields })
  }
  const run = async ({ seconds }: { readonly seconds: number }): Promise<Done> => {
    const before = await numberFrom(databaseUrl, SENT)
    const began = performance.now()
    await plane.emails.deliver(AbortSignal.timeout(seconds * 1000))
    const elapsed = (performance.now() - began) / 1000
    const operations = (await numberFrom(databaseUrl, SENT)) - before
    return { operations, seconds: elapsed, latency: new Histogram().toJSON() }
  }
  return { commands: { prepare, run }, stop: async () => storage[Symbol.asyncDispose]() }
}
