/** A question as a visitor words it, and the page that should come first. */
type Question = readonly [asked: string, page: string]

/** Questions that were known while retrieval was written. */
export const KNOWN: readonly Question[] = [
  ['what does svc do?', '/docs/customers/overview'],
  ['How do I connect a host agent?', '/docs/customers/connect-a-host'],
  ['adding a new server', '/docs/customers/connect-a-host'],
  ['how to hook up my VPS', '/docs/customers/connect-a-host'],
  ['instal agent', '/docs/customers/connect-a-host'],
  ['server shows as offline', '/docs/customers/connect-a-host'],
  ['my job is stuck', '/docs/customers/jobs'],
  ['why is my job still pending', '/docs/customers/jobs'],
  ['deployment failed, what now?', '/docs/customers/jobs'],
  ['stop a running job', '/docs/customers/jobs'],
  ['cancel', '/docs/customers/jobs'],
  ['abort deploy', '/docs/customers/jobs'],
  ['where can I see the output of my deployment', '/docs/customers/logs'],
  ['logs?', '/docs/customers/logs'],
  ['I cant find the build log', '/docs/customers/logs'],
  ['what does firing mean', '/docs/customers/alerts'],
  ['too many notifications, can I mute them', '/docs/customers/alerts'],
  ['webhok for alerts', '/docs/customers/alerts'],
  ['license suspended', '/docs/customers/licenses'],
  ["my licence key doesn't work anymore", '/docs/customers/licenses'],
  ['I lost my license key', '/docs/customers/licenses'],
  ['forgot password', '/docs/customers/sign-in'],
  ['how do I turn on 2fa', '/docs/customers/sign-in'],
  ['lost my phone with the authenticator app', '/docs/customers/sign-in'],
  ["can't log in", '/docs/customers/sign-in'],
  ['are my backups ok?', '/docs/customers/backups'],
  ['backup failed', '/docs/customers/backups'],
  ['somebody changed our A record', '/docs/customers/dns-monitors'],
  ['talk to a human', '/docs/customers/contact'],
  ['write my own agent in python', '/docs/agents'],
]

/**
 * Questions asked for the first time after retrieval was finished: five got the right page, the others none.
 */
export const LATER: readonly Question[] = [
  ['my machine does not show up in the list', '/docs/customers/connect-a-host'],
  ['deploy has been waiting for an hour', '/docs/customers/jobs'],
  ['kill a task', '/docs/customers/jobs'],
  ['where do i read the ouput of a job', '/docs/customers/logs'],
  ['our subscription was blocked', '/docs/customers/licenses'],
  ['change my pasword', '/docs/customers/sign-in'],
  ['log me out everywhere', '/docs/customers/sign-in'],
  ['restore from backup', '/docs/customers/backups'],
  ['nameserver not reachable', '/docs/customers/dns-monitors'],
  ['real person please', '/docs/customers/contact'],
]

/** Questions that the pages do not answer. */
export const OFF_TOPIC: readonly string[] = [
  'what does it cost per month',
  'two',
  'who won the match',
  'hello',
  'whats the weather tomorrow',
  'write me a poem about the sea',
  'What is the capital of France?',
]
