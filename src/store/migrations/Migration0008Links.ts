import { Migration } from '@mikro-orm/migrations'

/** Adds the links of tokens, and takes those of documents that were read already. */
export class Migration0008Links extends Migration {
  override up(): void {
    this.addSql('alter table token add column links text')
    this.addSql(`update metadata set links = (
        select jsonb_agg(jsonb_build_object('kind', case when link->>'kind' = any('{website,x,telegram,discord,farcaster,github}')
          then link->>'kind' else 'other' end, 'url', link->>'url') order by place)
        from jsonb_array_elements(links) with ordinality as listed (link, place) where place <= 8 and length(link->>'url') <= 256)
      where links is not null`)
    this.addSql(`update token set links = metadata.links::text from metadata
      where metadata.key = sha256(convert_to(token.metadata_uri, 'UTF8')) and metadata.links is not null and metadata.state = 'announced'`)
  }
}
