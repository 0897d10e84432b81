import type { Command } from 'commander'
import { examples, operating, type Run } from '../declare.ts'

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value]

/** `svc browser …` */
export function declareBrowser(program: Command, run: Run): void {
  const browser = program.command('browser')
  declareScrape(browser, run)
  declareRun(browser, run)
  const runs = operating(browser, 'browser.runs')
    .option('--limit <count>', 'runs at most, 50 when not given')
    .action(run(async () => (await import('./browser-runs.ts')).listRuns))
  examples(runs, 'svc browser runs')
  const doctor = browser
    .command('doctor')
    .description('start Chromium on this machine, and see that a page cannot get out past the proxy')
    .option('--json', 'print one JSON document')
    .action(run(async () => (await import('./browser-doctor.ts')).browserDoctor))
  examples(doctor, 'svc browser doctor')
  declareTokens(browser, run)
}

function declareScrape(browser: Command, run: Run): void {
  const scrape = operating(browser, 'browser.scrape', '<url>')
    .option(
      '--format <format>',
      'markdown, text, html, links, metadata or screenshot; markdown when not given',
    )
    .option('-o, --output <file>', 'write it to a file, which a screenshot needs')
    .option('--whole', 'with navigation, asides and footers too')
    .option('--wait-for <selector>', 'CSS selector of an element to wait for')
    .option('--timeout <seconds>', 'how long the page may take, 1 to 60')
    .action(run(async () => (await import('./browser-scrape.ts')).scrape))
  examples(
    scrape,
    'svc browser scrape https://www.example.com',
    'svc browser scrape https://www.example.com --format screenshot -o page.png',
  )
}

function declareRun(browser: Command, run: Run): void {
  const agent = operating(browser, 'browser.run', '<goal>')
    .requiredOption('--page <url>', 'page to begin on')
    .option('--max-steps <count>', 'steps at most, 12 when not given')
    .option('--timeout <seconds>', 'how long it may take, 5 to 300')
    .option('--domain <domain>', 'domain that it may go to; may be repeated', collect)
    .option('--schema-file <file>', 'JSON Schema that the result has to fit')
    .option('--allow-risky', 'let it buy, confirm and delete')
    .action(run(async () => (await import('./browser-run.ts')).runAgent))
  examples(agent, 'svc browser run "What does the cheapest plan cost?" --page https://www.example.com')
}

function declareTokens(browser: Command, run: Run): void {
  const tokens = browser.command('tokens').description('tokens that drive the browser worker')
  const issue = operating(tokens, 'browser-tokens.issue')
    .option('--license <id-or-key>', 'license that the token ends with')
    .option('--label <text>', 'its purpose')
    .option('--daily <count>', 'calls a day, 500 when not given')
    .action(run(async () => (await import('./browser-tokens.ts')).issueToken))
  examples(issue, 'svc browser tokens issue --label crawler --daily 2000')
  const list = operating(tokens, 'browser-tokens.list').action(
    run(async () => (await import('./browser-tokens.ts')).listTokens),
  )
  examples(list, 'svc browser tokens list')
  const revoke = operating(tokens, 'browser-tokens.revoke', '<id>').action(
    run(async () => (await import('./browser-tokens.ts')).revokeToken),
  )
  examples(revoke, 'svc browser tokens revoke brt_01…')
}
