import { defineEntity } from '@mikro-orm/core'
import { address, hex } from './columns.ts'

/** A token that does not show what its metadata URI leads to, because that is not read yet. */
export const MetadataWaitingEntity = defineEntity({
  name: 'MetadataWaiting',
  tableName: 'metadata_waiting',
  properties: {
    key: hex().primary(),
    token: address().primary(),
  },
})
