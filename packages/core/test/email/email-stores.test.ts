import {
  emailDomainsStoreContract,
  emailKeysStoreContract,
  emailMessagesStoreContract,
  emailSuppressionsStoreContract,
  remindersStoreContract,
} from '@svc/testing/contracts'
import { onEveryStorage } from '../storage/backends.ts'

onEveryStorage(emailDomainsStoreContract)
onEveryStorage(emailKeysStoreContract)
onEveryStorage(emailMessagesStoreContract)
onEveryStorage(emailSuppressionsStoreContract)
onEveryStorage(remindersStoreContract)
