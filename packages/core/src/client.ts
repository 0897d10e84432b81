/**
 * `@svc/core/client`: the words of programs that ask a control plane and are none. It loads no service and no
 * package, so that a command begins at once.
 */

export { systemClock } from './kernel/clock.ts'
export { requireExact } from './kernel/exact-json.ts'
export { Problem } from './kernel/problem.ts'
export { redact } from './kernel/redaction/redactor.ts'
export { shellWord } from './kernel/shell-word.ts'
export { isIdEnd } from './people/licenses/license-name.ts'
export { IDLE_SECONDS } from './people/sessions/sessions-store.ts'
export { ConfigError } from './platform/config/config-error.ts'
export { requireTrustedSocket, trustedFolder } from './platform/database/data-folder.ts'
export { agentId } from './work/agents/agent.ts'
