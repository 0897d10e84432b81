import { HELP_COMMAND, HELP_OPTION, VERSION_OPTION, wrapped } from './help-words.ts'
import type { ListedCommand } from './listed-command.ts'

/** Every command, in the order of the help text. */
export const COMMANDS: readonly ListedCommand[] = [
  {
    name: 'up',
    summary: 'run a control plane with one agent on this machine, to try things out',
    load: async () => (await import('../commands/up/declare-up.ts')).declareUp,
  },
  {
    name: 'serve',
    summary: 'run the control plane until SIGTERM or Ctrl-C',
    load: async () => (await import('../commands/serve/declare-serve.ts')).declareServe,
  },
  {
    name: 'migrate',
    summary: 'bring the database of DATABASE_URL to this release; safe when replicas do it at once',
    load: async () => (await import('../commands/migrate.ts')).declareMigrate,
  },
  {
    name: 'export',
    args: '<file>',
    summary: 'write everything that the database holds to a file',
    load: async () => (await import('../commands/transfer/declare-transfer.ts')).declareExport,
  },
  {
    name: 'import',
    args: '<file>',
    summary: 'fill an empty database from the file of an export or of a backup',
    load: async () => (await import('../commands/transfer/declare-transfer.ts')).declareImport,
  },
  {
    name: 'backup',
    args: '<file>',
    summary: 'write a data folder to a file, also while it is served: its database and its secrets',
    load: async () => (await import('../commands/transfer/declare-transfer.ts')).declareBackup,
  },
  {
    name: 'mint-key',
    summary: 'make a signing key; nothing is kept',
    load: async () => (await import('../commands/mint-key.ts')).declareMintKey,
  },
  {
    name: 'licenses',
    isGroup: true,
    summary: 'the keys under which hosts work',
    load: async () => (await import('../commands/licenses.ts')).declareLicenses,
  },
  {
    name: 'tenants',
    isGroup: true,
    summary: 'the customers that licenses belong to',
    load: async () => (await import('../commands/tenants.ts')).declareTenants,
  },
  {
    name: 'users',
    isGroup: true,
    summary: 'the people who may sign in',
    load: async () => (await import('../commands/users/declare-users.ts')).declareUsers,
  },
  {
    name: 'sessions',
    isGroup: true,
    summary: 'the sessions of people',
    load: async () => (await import('../commands/sessions.ts')).declareSessions,
  },
  {
    name: 'tokens',
    isGroup: true,
    summary: 'the API tokens of programs',
    load: async () => (await import('../commands/tokens.ts')).declareTokens,
  },
  {
    name: 'login',
    summary: 'sign in to a remote control plane; it becomes the current context',
    load: async () => (await import('../commands/login.ts')).declareLogin,
  },
  {
    name: 'logout',
    summary: 'end the session with a remote control plane',
    load: async () => (await import('../commands/login.ts')).declareLogout,
  },
  {
    name: 'context',
    isGroup: true,
    summary: 'the remote control planes that you have signed in to',
    load: async () => (await import('../commands/context.ts')).declareContext,
  },
  {
    name: 'account',
    isGroup: true,
    summary: 'your own password, second factor and sessions at a remote control plane',
    load: async () => (await import('../commands/account/declare-account.ts')).declareAccount,
  },
  {
    name: 'jobs',
    isGroup: true,
    summary: 'give hosts work, and see what became of it',
    load: async () => (await import('../commands/jobs/declare-jobs.ts')).declareJobs,
  },
  {
    name: 'fleet',
    isGroup: true,
    summary: 'the hosts',
    load: async () => (await import('../commands/fleet/declare-fleet.ts')).declareFleet,
  },
  {
    name: 'ssh',
    args: '[host] [command...]',
    summary: 'open a session on a host: a terminal, a command, or bytes to its SSH server',
    load: async () => (await import('../commands/ssh/declare-ssh.ts')).declareSsh,
  },
  {
    name: 'relay',
    isGroup: true,
    summary: 'the relay of sessions on hosts',
    load: async () => (await import('../commands/relay/declare-relay.ts')).declareRelay,
  },
  {
    name: 'images',
    isGroup: true,
    summary: 'what hosts have captured, and the way back from it',
    load: async () => (await import('../commands/images/declare-images.ts')).declareImages,
  },
  {
    name: 'transfer',
    isGroup: true,
    summary: 'the keys by which one host gets data from another',
    load: async () =>
      (await import('../commands/transfer-keys/declare-transfer-keys.ts')).declareTransferKeys,
  },
  {
    name: 'security',
    isGroup: true,
    summary: 'the firewall and hardening of hosts',
    load: async () => (await import('../commands/security/declare-security.ts')).declareSecurity,
  },
  {
    name: 'surface',
    isGroup: true,
    summary: 'what domains show to the outside',
    load: async () => (await import('../commands/surface/declare-surface.ts')).declareSurface,
  },
  {
    name: 'alerts',
    isGroup: true,
    summary: 'what is wrong, and what is done about it',
    load: async () => (await import('../commands/alerts/declare-alerts.ts')).declareAlerts,
  },
  {
    name: 'provision',
    isGroup: true,
    summary: 'servers at hosting providers, ordered for licenses',
    load: async () => (await import('../commands/provision/declare-provision.ts')).declareProvision,
  },
  {
    name: 'webhooks',
    isGroup: true,
    summary: 'events of licenses, sent to addresses of their choice',
    load: async () => (await import('../commands/webhooks/declare-webhooks.ts')).declareWebhooks,
  },
  {
    name: 'monitors',
    isGroup: true,
    summary: 'watch the records of DNS names',
    load: async () => (await import('../commands/monitors/declare-monitors.ts')).declareMonitors,
  },
  {
    name: 'email',
    isGroup: true,
    summary: 'send email from domains that are yours',
    load: async () => (await import('../commands/email/declare-email.ts')).declareEmail,
  },
  {
    name: 'billing',
    isGroup: true,
    summary: 'what licenses pay for',
    load: async () => (await import('../commands/billing/declare-billing.ts')).declareBilling,
  },
  {
    name: 'git',
    isGroup: true,
    summary: 'deploy apps when their repositories are pushed to',
    load: async () => (await import('../commands/git/declare-git.ts')).declareGit,
  },
  {
    name: 'chat',
    isGroup: true,
    summary: 'the support chat',
    load: async () => (await import('../commands/chat/declare-chat.ts')).declareChat,
  },
  {
    name: 'secrets',
    isGroup: true,
    summary: 'the keys that seal stored secrets',
    load: async () => (await import('../commands/secrets.ts')).declareSecrets,
  },
  {
    name: 'audit',
    isGroup: true,
    summary: 'what operators did',
    load: async () => (await import('../commands/audit.ts')).declareAudit,
  },
  {
    name: 'doctor',
    summary: 'look at everything the control plane stands on; exit code 1 when a check fails',
    load: async () => (await import('../commands/doctor/declare-doctor.ts')).declareDoctor,
  },
  {
    name: 'agent',
    isGroup: true,
    summary: 'the host agent',
    load: async () => (await import('../commands/agent/declare-agent.ts')).declareAgent,
  },
]

/** Description of the program. */
export const SUMMARY = 'A control plane for managed virtual servers.'
/** Text after the list of commands. */
export const FOOTER = `
Commands find the control plane by --url, --data-dir, SERVICE_URL, DATABASE_URL, SERVICE_DATA_DIR, ./.svc or the
current context of svc login, in this order.
Exit codes: 0 done, 1 failed, 2 usage or bad setting, 3 unreachable, 4 refused, 5 not found, 130 interrupted.
Example:
  $ svc up                     a control plane with one agent, on this machine
  $ svc jobs list --json`

const INDENT = 2

/**
 * Returns the help of the whole program in the form of commander: to load commander for it would take as long
 * as starting Node.js does.
 */
export function overviewText(columns: number): string {
  const commands = COMMANDS.map(
    ({ name, args, summary, isGroup }) =>
      [isGroup ? name : [name, '[options]', args].filter(Boolean).join(' '), summary] as const,
  )
  const listed = [VERSION_OPTION, HELP_OPTION, ...commands, HELP_COMMAND]
  const termColumns = Math.max(...listed.map(([term]) => term.length))
  const lines = (items: readonly (readonly [string, string])[]) =>
    items.map(([term, text]) => lineOf(term.padEnd(termColumns), text, columns)).join('\n')
  const parts = [
    'Usage: svc [options] [command]',
    wrapped(SUMMARY, columns, 0),
    `Options:\n${lines([VERSION_OPTION, HELP_OPTION])}`,
    `Commands:\n${lines([...commands, HELP_COMMAND])}`,
  ]
  return `${parts.join('\n\n')}\n${FOOTER}\n`
}

function lineOf(term: string, text: string, columns: number): string {
  const start = ' '.repeat(INDENT) + term + ' '.repeat(INDENT)
  return start + wrapped(text, columns, start.length)
}
