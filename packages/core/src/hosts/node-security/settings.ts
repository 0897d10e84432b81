import { wholeNumber } from '../../platform/config/setting.ts'
import { required } from '../../platform/config/setting-group.ts'

/** Settings of node security. */
export const nodeSecurity = required('Node security', {
  rollbackSeconds: wholeNumber(
    'NODE_SECURITY_ROLLBACK_S',
    'How long a host waits for the control plane before it undoes a firewall that cuts it off, in seconds.',
    { fallback: 60, min: 30, max: 300 },
  ),
})

declare module '../../platform/config/settings.ts' {
  interface SettingGroups {
    readonly nodeSecurity: typeof nodeSecurity
  }
}
