import { wholeNumber } from '../setting.ts'
import { required } from '../setting-group.ts'

/** Settings of node security. */
export const nodeSecurity = required('Node security', {
  rollbackSeconds: wholeNumber(
    'NODE_SECURITY_ROLLBACK_S',
    'How long a host waits for the control plane before it undoes a firewall that cuts it off, in seconds.',
    { fallback: 60, min: 30, max: 300 },
  ),
})
