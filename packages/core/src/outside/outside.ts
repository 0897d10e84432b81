import type { OpenProvider } from '../hosts/provisioning/server-provider.ts'
import type { Base } from '../platform/base.ts'
import type { DnsClient } from '../platform/dns/dns-client.ts'
import type { Outbound } from '../platform/net/outbound.ts'
import type { PaymentProvider } from '../reach/billing/payment-provider.ts'
import type { LanguageModel } from '../reach/chat/answer/language-model.ts'
import type { MailRelay } from '../reach/email/smtp/mail-relay.ts'
import type { ModelProbe } from '../watch/health/model-probe.ts'
import type { Scan } from '../watch/surface/surface-sight.ts'
import { languageModelOf } from './language-model/language-model-http.ts'
import { modelProbeOf } from './language-model/model-probe-http.ts'
import { paymentProviderOf } from './payments/payment-provider-http.ts'
import { scanOf } from './scan/scan-run.ts'
import { providersOf } from './servers/providers-http.ts'
import { mailRelayOf } from './smtp/mail-relay-smtp.ts'

/** Ways of a plane to services of others. Each is a port of the feature that uses it. */
export interface Outside {
  /** The model of the chat; undefined: none. */
  readonly languageModel: LanguageModel | undefined
  /** The model of the browser's agent; undefined: none. */
  readonly agentModel: LanguageModel | undefined
  readonly modelProbe: ModelProbe | undefined
  readonly paymentProvider: PaymentProvider | undefined
  readonly mailRelay: MailRelay
  /** Opens sessions at hosting providers. */
  readonly openProvider: OpenProvider
  /** Looks at domains from outside. */
  readonly scan: Scan
}

/** Ways that a caller brings along, instead of those of the settings. */
export interface OutsideParts {
  readonly languageModel?: LanguageModel
  readonly agentModel?: LanguageModel
  readonly modelProbe?: ModelProbe
  readonly paymentProvider?: PaymentProvider
  readonly mailRelay?: MailRelay
  readonly providerOutbound?: Outbound
}

/** Makes the ways outside of the settings. Nothing is connected before it is used. */
export function outsideOf(base: Base, dns: DnsClient, parts: OutsideParts): Outside {
  const languageModel = parts.languageModel ?? languageModelOf(base)
  return {
    languageModel,
    agentModel: parts.agentModel ?? languageModel,
    modelProbe: parts.modelProbe ?? modelProbeOf(base),
    paymentProvider: parts.paymentProvider ?? paymentProviderOf(base),
    mailRelay: parts.mailRelay ?? mailRelayOf(base),
    openProvider: providersOf(base, parts.providerOutbound),
    scan: scanOf(base, dns),
  }
}
