// Each method of a store takes a scope first, or stands here with the reason why it takes none (decision 73).
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'

const root = join(import.meta.dirname, '..')

/** Reasons why a method takes no scope. */
type Reason =
  /** The plane's own work: no caller's words choose the row. */
  | 'plane'
  /** Names a row, or its parent, that was found within a scope before. */
  | 'found'
  /** Names the license, tenant or person whose things are meant, or is a new thing that names its owner. */
  | 'owner'
  /** Found by a secret that proves who asks. */
  | 'secret'
  /** Used by operations of platform staff alone. */
  | 'staff'
  /** Its reader compares the owner of the row with the caller. */
  | 'compared'

const WITHOUT_SCOPE: Readonly<Record<string, Partial<Record<Reason, string>>>> = {
  AccessSessionsStore: { plane: 'claim due admit connected end over sweep meet', owner: 'open resetKey' },
  AgentsStore: { plane: 'heartbeat isKnown accessKey noteWork turnAway', owner: 'change forget' },
  AlertsStore: { plane: 'watches move write record counts purge', found: 'actions' },
  AlertDeliveriesStore: {
    plane: 'waiting bundle digest announced',
    found: 'reports',
    staff: 'setWebhook removeWebhook setMailboxes removeMailboxes',
    owner: 'webhook',
  },
  AppsStore: {
    owner: 'ensure add',
    found: 'change setMove remove lock variableNames variables setVariables unsetVariables',
  },
  HostUsageStore: { plane: 'add take purge', found: 'read' },
  ObservedAppsStore: { owner: 'note', plane: 'troubles drifts' },
  AppDatabasesStore: { owner: 'find list put remove' },
  AppDomainsStore: { owner: 'find put remove', found: 'list' },
  ApiTokensStore: { owner: 'add', secret: 'use', staff: 'list revoke', plane: 'purge' },
  BillingStore: {
    plane:
      'nextToken lock bill ofCustomer current put park reserve checkoutOf moveCheckout answered answer openDunning endDunning purge subscription checkout dunning',
    owner: 'subscriptions liveCheckout',
  },
  PaymentEventsStore: { plane: 'add claim claimDue settle troubles purge', staff: 'get list resolve' },
  BrowserStore: {
    owner: 'addToken',
    secret: 'useToken',
    plane: 'hasTokens begin finish purge',
    staff: 'listTokens revokeToken listRuns',
  },
  ConversationsStore: {
    plane: 'begin say answer mode replies takeSmallTalk takeModelCall purge',
    staff: 'reply change find list messages',
  },
  DeliveriesStore: { plane: 'add takeDue settle expire counts purge', found: 'latest recipient' },
  DeploymentsStore: { owner: 'add newestOf', compared: 'get list' },
  EmailDomainsStore: { owner: 'add named', found: 'setNext remove', plane: 'takeDue settle' },
  EmailKeysStore: { owner: 'add', secret: 'use', found: 'revoke', plane: 'purge' },
  RetentionStore: {
    plane:
      'state accept noteLogs pastJobs pastLogs removeJobs removeLogs backlog setArchive jobs makeLogMonths dropLogMonths logMonthsFault',
  },
  RemindersStore: { plane: 'add subjects bind isWanted open messages purge' },
  EmailMessagesStore: {
    owner: 'add remembered remember spend',
    staff: 'find list cancel requeue',
    plane: 'body begin dataStarted record endLost counts states purge',
  },
  EmailSuppressionsStore: { owner: 'add among', staff: 'list remove', plane: 'purge' },
  GitHooksStore: {
    owner: 'add',
    found: 'change remove secrets setSecret removeSecret latestOf isReplaced deliveries lastDeliveries',
    plane: 'lock earlier record purge',
  },
  ImagesStore: { plane: 'register reconcile purge', found: 'forget' },
  JobsStore: {
    owner: 'enqueue pending',
    found: 'logs logLengths',
    plane:
      'lease upcoming report appendLogs renew supersede preface sweep isRun serialHolder lastClaim counts',
  },
  LicensesStore: {
    owner: 'add',
    secret: 'usableId byKeyDigest',
    plane: 'get hasAny noteCall calls purgeCalls',
    staff: 'setStatus change',
  },
  // Each subject has the scope of the person who looks at it.
  LiveStore: { compared: 'versions', found: 'logEnds' },
  MonitorsStore: {
    owner: 'add',
    found: 'redefine setPaused accept remove history',
    plane: 'takeDue settle release counts',
  },
  NodeSecurityStore: { owner: 'add current revision history', plane: 'standings' },
  AuditStore: { plane: 'add', staff: 'list lookedTo' },
  ProvisioningStore: {
    staff:
      'add get list events catalog setCatalog removeCatalog credentials setCredential clearCredential hurry',
    plane:
      'live counts older due take move reserve reserved reservedOrders noteCreate planeId verified invalidated limited',
  },
  SchedulerStore: { plane: 'begin reopen lastBegun' },
  SecondFactorsStore: { owner: 'begin find confirm spend remove reset backs', staff: 'confirmed' },
  SecretsStore: { plane: 'page replace' },
  SessionsStore: { owner: 'open live revokeOthers revokeAll', secret: 'use revoke', plane: 'purge' },
  SurfaceScansStore: { owner: 'start last', plane: 'take renew giveBack finish counts purge' },
  SurfaceTargetsStore: {
    owner: 'add addresses get remove',
    plane: 'note takeDue noteAddress purgeAddresses',
  },
  TenantsStore: { staff: 'add' },
  TransferKeysStore: { owner: 'add knowsHost', found: 'uses', secret: 'tryPin redeem', plane: 'purge' },
  UsersStore: { staff: 'add addFirst change hasFirst list', secret: 'byEmail credentials' },
  WebhooksStore: {
    owner: 'begin add',
    found: 'change rotate remove disable enable closeBreaker deliveries delivery replay replayable',
    plane: 'note dead disableFailing tellOthers say outgoing setMaxAge purge',
  },
}

/** The methods of each store, and whether they take a scope first. */
function methodsOf(text: string): readonly [store: string, method: string, isScoped: boolean][] {
  const stores = text.matchAll(/^export interface (\w+Store)\b[^{]*\{\n(.*?)\n\}/gms)
  return [...stores].flatMap(([, store = '', body = '']) =>
    [...body.matchAll(/^ {2}(\w+)(?:<[^>]*>)?\(\s*([^,)\n]*)/gm)].map(
      ([, method = '', first = '']): [string, string, boolean] => [store, method, first === 'scope: Scope'],
    ),
  )
}

const methods = globSync('packages/core/src/**/*-store.ts', { cwd: root }).flatMap((path) =>
  methodsOf(readFileSync(join(root, path), 'utf8')),
)
const listed = Object.entries(WITHOUT_SCOPE).flatMap(([store, reasons]) =>
  Object.values(reasons).flatMap((names) => names.split(' ').map((name) => `${store}.${name}`)),
)

describe('Methods of stores', () => {
  test('are read from their ports', () => {
    expect(methods.length).toBeGreaterThan(250)
    expect(methods.filter(([, , isScoped]) => isScoped).length).toBeGreaterThan(25)
  })

  test('take a scope first, or stand on the list with a reason', () => {
    const without = methods
      .filter(([, , isScoped]) => !isScoped)
      .map(([store, method]) => `${store}.${method}`)
    expect(without.toSorted()).toEqual(listed.toSorted())
  })
})
