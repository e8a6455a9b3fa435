# All roles of the service; docs/operation.md, "As a container", says how to run it. It takes its settings from the environment, reads
# launchpads.json in /config, and writes nothing outside /data.
ARG BASE=docker.io/library/node:22-bookworm-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build

FROM ${BASE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The bundle holds all packages but those whose files are found by their paths; the embedded PostgreSQL is optional, and a container has
# DATABASE_URL. Of the socket's binaries, this Node loads one.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --prefer-offline \
  && rm -rf node_modules/viem node_modules/ox node_modules/rxjs node_modules/zod \
  && find node_modules/uWebSockets.js -name '*.node' ! -name "uws_linux_$(node -p 'process.arch')_$(node -p 'process.versions.modules').node" -delete

FROM ${BASE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Tokenwire" \
  org.opencontainers.image.description="Token data and realtime updates of EVM launchpads, from confirmed chain state" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data LOG_FORMAT=json
COPY --from=dependencies /app/node_modules /app/node_modules
COPY --from=build /build/package.json /build/LICENSE /build/deploy/healthCheck.mjs /app/
COPY --from=build /build/dist/service /app/dist/service
COPY --from=build /build/dist/console /app/dist/console
WORKDIR /config
USER 65532:65532
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/app/healthCheck.mjs"]
ENTRYPOINT ["node", "/app/dist/service/main.js"]
