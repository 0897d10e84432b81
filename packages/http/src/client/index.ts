/**
 * `@svc/http/client`: asks a control plane over HTTP, from Node 20 and newer and from browsers. It loads no
 * module of Node, no package and no part of the service.
 */

export type { OperationName, OperationTypes } from '@svc/core/api'
export {
  type CallOptions,
  type ChatEvent,
  type ChatInput,
  type Client,
  type ClientOptions,
  createClient,
  type PagedName,
} from './client.ts'
export { ClientError } from './client-error.ts'
