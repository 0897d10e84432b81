import { isIP } from 'node:net'
import { isResolverAddress, list, type Setting, text } from '../setting.ts'
import { optional } from '../setting-group.ts'

const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

const hostName = (name: string, doc: string): Setting<string | undefined> => ({
  ...text(name, doc),
  form: 'the name of a host',
  parse: (given) => (HOST_NAME.test(given) ? given.toLowerCase() : undefined),
})

const yesOrNo = (name: string, doc: string, fallback: boolean): Setting<boolean> => ({
  name,
  doc,
  form: 'true or false',
  secret: false,
  fallback,
  parse: (given) => (given === 'true' ? true : given === 'false' ? false : undefined),
})

/** Settings of email. */
export const email = optional('Email', {
  spfInclude: hostName(
    'EMAIL_SPF_INCLUDE',
    'Name that the SPF records of sending domains include. Without it and EMAIL_SPF_IPS nobody adds domains.',
  ),
  spfIps: list('EMAIL_SPF_IPS', 'Addresses that the mail relay sends from: SPF must let each of them send.', {
    of: 'IP addresses',
    accepts: (entry) => isIP(entry) !== 0 && !entry.includes('%'),
  }),
  dnsServers: list('EMAIL_DNS_SERVERS', "Resolvers that checks of domains ask; unset: the system's.", {
    of: 'IP addresses, each with or without a port',
    accepts: isResolverAddress,
  }),
  requireDmarc: yesOrNo('EMAIL_REQUIRE_DMARC', 'Whether a sending domain needs a DMARC policy.', true),
})
