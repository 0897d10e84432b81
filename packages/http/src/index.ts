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
export type { Body, Received } from './body/body.ts'
export { jsonBody } from './body/json-body.ts'
export { type RawBodyParts, rawBody } from './body/raw-body.ts'
export { codeOf, FAILURES, failureReply, Refusal, type RefusedBy, type WireCode } from './errors.ts'
export { type RouteLimit, takeByAddress } from './gates/limit.ts'
export { perIp } from './gates/per-ip.ts'
export { openApiDocument } from './openapi/openapi.ts'
export { json, noContent, plain } from './reply.ts'
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
} from './route.ts'
export { CONTROL_ROUTES, ROUTES } from './routes/index.ts'
export { type DrainReport, type Listening, type ListenOptions, listen, type Served } from './server/server.ts'
export { type UpgradeCall, type UpgradeRoute, type UpgradeRouteParts, upgradeRoute } from './upgrade.ts'
