import type { Command } from 'commander'
import { examples, keyed, operating, type Run } from '../declare.ts'

const OWNER = ['--license <id-or-key>', 'of this license; without it, of all, or for the platform'] as const

/** `svc email …` */
export function declareEmail(program: Command, run: Run): void {
  const email = program.command('email')
  declareDomains(email.command('domains').description('the domains to send from'), run)
}

function declareDomains(domains: Command, run: Run): void {
  const load = async () => import('./email-domains.ts')
  const list = keyed(operating(domains, 'email-domains.list'))
    .option(...OWNER)
    .option('--limit <count>', 'domains at most, 50 when not given')
    .option('--cursor <cursor>', 'next_cursor of an earlier answer')
    .action(run(async () => (await load()).listDomains))
  examples(list, 'svc email domains list')
  const add = keyed(operating(domains, 'email-domains.add', '<name>'))
    .option(...OWNER)
    .option('--zone', 'print the records as lines of a zone file')
    .action(run(async () => (await load()).addDomain))
  examples(add, 'svc email domains add mail.example.com', 'svc email domains add mail.example.com --zone')
  const show = operating(domains, 'email-domains.show', '<id>')
    .option('--zone', 'print the records as lines of a zone file')
    .action(run(async () => (await load()).showDomain))
  examples(show, 'svc email domains show dom_01… --zone')
  const verify = keyed(operating(domains, 'email-domains.verify', '<id>'))
    .option(...OWNER)
    .action(run(async () => (await load()).verifyDomain))
  examples(verify, 'svc email domains verify dom_01…')
  const rotate = operating(domains, 'email-domains.rotate-dkim', '<id>')
    .option('--zone', 'print the records as lines of a zone file')
    .action(run(async () => (await load()).rotateDkim))
  examples(rotate, 'svc email domains rotate-dkim dom_01…')
  const remove = operating(domains, 'email-domains.remove', '<id>').action(
    run(async () => (await load()).removeDomain),
  )
  examples(remove, 'svc email domains remove dom_01…')
}
