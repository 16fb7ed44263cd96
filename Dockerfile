# The program alone, for servers over HTTP and to copy into images that have the
# runtime of a server over stdio:
#
#	COPY --from=mcptea /usr/local/bin/mcptea /usr/local/bin/
# Go compiles for the platform of the image on that of the builder.
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION= TARGETOS TARGETARCH
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /out/mcptea . \
	&& mkdir -p /out/home /out/tmp && chmod 1777 /out/tmp

FROM scratch
LABEL org.opencontainers.image.source=https://github.com/OWNER/mcptea org.opencontainers.image.licenses=MIT
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/mcptea /usr/local/bin/mcptea
COPY LICENSE packaging/NOTICES.txt /usr/share/doc/mcptea/
COPY --from=build /out/tmp /tmp
COPY --from=build --chown=65532:65532 /out/home /home/mcptea
ENV HOME=/home/mcptea PATH=/usr/local/bin
USER 65532:65532
WORKDIR /home/mcptea
ENTRYPOINT ["mcptea"]
