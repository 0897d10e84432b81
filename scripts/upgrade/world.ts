import type { Environment } from '@svc/core'
import { type LoopbackDns, loopbackDns } from '../../test/support/dns-server.ts'
import { type FarSide, farSide } from '../../test/support/far-side.ts'
import { type LoopbackSmtp, loopbackSmtp } from '../../test/support/smtp-server.ts'

/** The services of others that an installation talks to, all on this machine. */
export interface World extends AsyncDisposable {
  readonly dns: LoopbackDns
  readonly relay: LoopbackSmtp
  readonly receiver: FarSide
  /** Settings that lead to them. */
  readonly env: Environment
}

/** Starts them. */
export async function openWorld(): Promise<World> {
  const [dns, relay] = [await loopbackDns(), await loopbackSmtp()]
  const receiver = await farSide((_request, response) => response.writeHead(204).end())
  const env = {
    MONITOR_DNS_SERVERS: dns.server,
    EMAIL_DNS_SERVERS: dns.server,
    ATTACK_SURFACE_DNS_SERVERS: dns.server,
    EMAIL_SMTP_URL: relay.url,
    EMAIL_SMTP_ALLOW_PLAINTEXT: 'true',
    SERVICE_OUTBOUND_ALLOW: '127.0.0.1/32',
    WEBHOOK_ALLOW_HTTP: 'true',
  }
  return {
    dns,
    relay,
    receiver,
    env,
    async [Symbol.asyncDispose]() {
      for (const each of [dns, relay, receiver]) await each[Symbol.asyncDispose]()
    },
  }
}

/** Answers for the domains of the customer. */
export function publish(
  { zone }: LoopbackDns,
  records: readonly { readonly name: string; readonly value: string }[],
) {
  zone.set('www.acme.example', { A: [{ address: '192.0.2.10' }] })
  for (const { name, value } of records) zone.set(name, { TXT: [{ data: value.match(/.{1,255}/g) ?? [] }] })
}
