{{- define "hadir.name" -}}
{{- if contains "hadir" .Release.Name }}{{ .Release.Name | trunc 55 | trimSuffix "-" }}{{ else }}{{ printf "%s-hadir" .Release.Name | trunc 55 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "hadir.selector" -}}
app.kubernetes.io/name: hadir
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "hadir.labels" -}}
{{ include "hadir.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}
