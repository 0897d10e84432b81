/** `@svc/http`: the control plane on Koa, mountable in another server. */
export {
  type App,
  type AppOptions,
  controlPlaneMiddleware,
  createApp,
  createControlApp,
  createRelayApp,
  createWaitingApp,
} from './app.ts'
export type { Body, Received } from './exchange/body/body.ts'
export { jsonBody } from './exchange/body/json-body.ts'
export { type RawBodyParts, rawBody } from './exchange/body/raw-body.ts'
export { codeOf, FAILURES, failureReply, Refusal, type RefusedBy, type WireCode } from './exchange/errors.ts'
export { json, noContent, plain } from './exchange/reply.ts'
export {
  type Call,
  type Gate,
  type GateRequest,
  type Method,
  type Replies,
  type Reply,
  type Route,
  type RouteParts,
  route,
} from './exchange/route.ts'
export {
  type UpgradeCall,
  type UpgradeRoute,
  type UpgradeRouteParts,
  upgradeRoute,
} from './exchange/upgrade.ts'
export { type RouteLimit, takeByAddress } from './gates/limit.ts'
export { perIp } from './gates/per-ip.ts'
export type { Fetch, FetchFacts } from './mount/fetch.ts'
export type { Next, NodeHandler } from './mount/node-handler.ts'
export { openApiDocument } from './openapi/openapi.ts'
export type { Example, Examples } from './openapi/openapi-writer.ts'
export { CONTROL_ROUTES, ROUTES } from './routes/index.ts'
export { type DrainReport, type Listening, type ListenOptions, listen, type Served } from './server/server.ts'
