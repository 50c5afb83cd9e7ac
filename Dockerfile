FROM node:24-slim AS packages
WORKDIR /carte
COPY package.json package-lock.json .npmrc ./
COPY examples/rest-client/package.json examples/rest-client/
COPY packages/base/package.json packages/base/
COPY packages/compare/package.json packages/compare/
COPY packages/embedded-postgres/package.json packages/embedded-postgres/
COPY packages/operations/package.json packages/operations/
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force

FROM node:24-slim AS playground
WORKDIR /carte
COPY package.json package-lock.json .npmrc ./
COPY web/playground/package.json web/playground/
RUN npm ci --ignore-scripts --workspace carte-playground
COPY tools/build-playground.ts tools/
COPY web/playground web/playground
RUN node tools/build-playground.ts

FROM node:24-slim
WORKDIR /carte
# The embedded PostgreSQL creates symbolic links between its libraries on first start, so the user must own its files.
COPY --from=packages --chown=node:node /carte/node_modules node_modules
COPY package.json ./
COPY bin bin
COPY demo demo
COPY deploy/partitions deploy/partitions
COPY docs docs
COPY packages packages
COPY schema schema
COPY src src
COPY web web
COPY --from=playground /carte/dist dist
RUN install -d -o node -g node /data
USER node
ENV HOST=0.0.0.0 PORT=4000 CARTE_DATA=/data
# As `npm start` does: glibc then returns the memory of large bodies to the system.
ENV MALLOC_MMAP_THRESHOLD_=4194304
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# No shell or npm in between, so that signals reach the service.
CMD ["node", "--max-semi-space-size=32", "--heap-growing-percent=80", "bin/carte.js", "serve"]
