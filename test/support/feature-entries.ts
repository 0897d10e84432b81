import type { OperationScope, Permission, ProblemCode } from '@svc/core'
import type { World } from '../../packages/http/test/authorization/world.ts'
import type { OperationEntry } from './features.ts'

type Input = OperationEntry['input']

/** An empty input. */
export const nothing = () => ({})
/** The license that operations may end. */
export const license = ({ spare }: World) => ({ license: spare.license })
/** The person whom operations may bar. */
export const person = ({ spare }: World) => ({ email: spare.email })
/** The host of the own tenant. */
export const host = ({ own }: World) => ({ host: own.hostname })
/** The alert of the own tenant. */
export const alert = ({ own }: World) => ({ id: own.alert })
/** The conversation of the own tenant. */
export const conversation = ({ own }: World) => ({ conversation: own.conversation })
/** A monitor of the platform. */
export const monitor = () => ({ monitor: 'watched' })
/** The monitor of the own tenant's license. */
export const ownMonitor = ({ own }: World) => ({ monitor: own.things.monitor })
/** The claimed job of the own tenant. */
export const held = ({ own }: World) => ({ job: own.held })
/** Invalid inputs, and names of things that do not exist. */
export const wrong = {
  text: () => ({ limit: 'x' }),
  license: () => ({ license: 'lic_none' }),
  tenant: () => ({ tenant: 'nobody' }),
  person: () => ({ email: 'nobody@svc.example' }),
  job: () => ({ job: 'job_none' }),
  host: () => ({ host: 'nowhere' }),
  alert: () => ({ id: 'alr_none', for_seconds: 600 }),
  monitor: () => ({ monitor: 'none' }),
  conversation: () => ({ conversation: 'chat_none', text: 'a word' }),
}

// A tenant's roles hold these, so operations that ask for them are for tenants as well.
const scopeOf = (asks: Permission): OperationScope =>
  asks === 'platform.read' || asks === 'platform.deploy' || asks === 'platform.ssh' ? 'tenant' : 'platform'

/** An operation that only reads. */
export const read = (
  asks: Permission,
  input: Input,
  refused?: OperationEntry['refused'],
): OperationEntry => ({
  asks,
  scope: scopeOf(asks),
  leaves: 'nothing',
  input,
  ...(refused && { refused }),
})
/** An operation that changes something. */
export const change = (
  asks: Permission,
  input: Input,
  refused: Input,
  code: ProblemCode = 'not-found',
): OperationEntry => ({ asks, scope: scopeOf(asks), leaves: 'row', input, refused: [code, refused] })
/** A change of an administrator, which takes the password too. */
export const confirmedChange = (
  input: Input,
  refused: Input,
  code: ProblemCode = 'not-found',
): OperationEntry => ({
  ...change('platform.admin', input, refused, code),
  confirmed: true,
})

/** A change of an administrator that is closed to API tokens. */
export const personalChange = (input: Input, refused: Input): OperationEntry => ({
  ...change('platform.admin', input, refused),
  personal: true,
})

/** The body that names the host of the own tenant. */
export const fingerprint = ({ own }: World) => ({ fingerprint: own.fingerprint })
/** The claimed job of the own tenant, in a path. */
export const heldId = ({ own }: World) => ({ id: own.held })
/** The requirement of routes that a license key opens. */
export const LICENSE = 'a license'
/** The same, and an API token of an owner or a developer of its tenant. */
export const DEVELOPER = 'a license, or a token of its owner or developer'
/** The same, and an API token of an owner of its tenant. */
export const OWNER = 'a license, or a token of its owner'
