# The servers of the command: `gdl serve`, `gdl player` and `gdl manage`; docs/how-to/install.md says
# how to run them. A static program, and nothing else.
FROM rust:1.95-alpine3.22 AS build
# The image is that of one release of Alpine, which has one version.
# hadolint ignore=DL3018
RUN apk add --no-cache musl-dev
WORKDIR /gdl
COPY . .
# Games are compiled as they are loaded: straight-line code of all of them would double the size.
RUN cargo build --locked --release --package gdl-cli --features manage,network,serve,sign \
    && install -Ds target/release/gdl /image/bin/gdl \
    && install -d -m 1777 /image/tmp \
    && install -d -o 65532 -g 65532 /image/results

FROM scratch
COPY --from=build /image /
USER 65532:65532
WORKDIR /results
ENTRYPOINT ["/bin/gdl"]
CMD ["--help"]
