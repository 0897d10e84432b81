/**
 * The deeds of a license key beside acting for hosts, by a word that rows keep. A license that is `agentOnly`
 * closes all of them to its key.
 */
export const LICENSE_DEEDS = {
  'git-hooks': {
    least: 'developer',
    does: 'Make, change, rotate or delete git hooks: a hook deploys code on a host',
    stays: '`svc git hooks list`, `svc git hooks remove APP`',
  },
  'git-push': {
    least: undefined,
    instead: 'sign the message with the secret of the hook',
    does: 'Have a hook deploy a commit of its repository',
    stays: undefined,
  },
  'node-security': {
    least: 'owner',
    does: 'Set the firewall and the ssh server of a host',
    stays: '`svc security show HOST`, `svc security rollback HOST --to N`',
  },
  'webhook-endpoints': {
    least: 'owner',
    does: 'Send the events of the license to an address; change, test or delete endpoints',
    stays: '`svc webhooks endpoints list`, `svc webhooks endpoints remove ID`',
  },
  'email-domains': {
    least: 'owner',
    does: 'Add a sending domain, and have it checked',
    stays: '`svc email domains list`, `svc email domains remove DOMAIN`',
  },
  'email-keys': {
    least: 'owner',
    does: 'Make and end sending keys',
    stays: '`svc email keys list`, `svc email keys revoke ID`',
  },
  'email-send': {
    least: undefined,
    instead: 'send with a sending key: svc email keys create',
    does: 'Send mail from the domains of the license',
    stays: undefined,
  },
  'transfer-keys': {
    least: 'developer',
    does: 'Mint transfer keys: one opens the release of a host to another host',
    stays: '`svc transfer list`, `svc transfer revoke ID`',
  },
  scans: {
    least: 'developer',
    does: 'Add a domain, and have it looked at from outside',
    stays: undefined,
  },
  checkouts: {
    least: 'owner',
    does: 'Open the page where the license is paid for',
    stays: undefined,
  },
} as const satisfies Readonly<Record<string, DeedFacts>>

export type LicenseDeed = keyof typeof LICENSE_DEEDS

interface DeedFacts {
  /** The least role of a tenant whose API token may do it; undefined: no API token may. */
  readonly least: 'developer' | 'owner' | undefined
  /** The credential that may do it where no API token may. */
  readonly instead?: string
  /** For the table of a key thief's possible actions. */
  readonly does: string
  /** Commands that show and end things that outlive a change of the key; undefined: nothing does. */
  readonly stays: string | undefined
}

/** Days that calls are remembered. */
export const CALL_DAYS = 30
