import { isAddressRange, list } from '../setting.ts'
import { required } from '../setting-group.ts'

/** Settings of calls to other machines. */
export const outbound = required('Outgoing calls', {
  allow: list(
    'SERVICE_OUTBOUND_ALLOW',
    'Address ranges that webhooks and scans may reach although not public; webhooks then also without TLS.',
    { of: 'address ranges such as 10.1.0.0/16', accepts: isAddressRange },
  ),
  refuse: list('SERVICE_OUTBOUND_REFUSE', 'Address ranges that no webhook and no scan may reach.', {
    of: 'address ranges such as 203.0.113.0/24',
    accepts: isAddressRange,
  }),
})
