package kubernetes

// The types here are the parts of the Kubernetes API that the manifests need. Their fields are in
// the order in which they are printed.

type metadata struct {
	Name      string            `yaml:"name,omitempty"`
	Namespace string            `yaml:"namespace,omitempty"`
	Labels    map[string]string `yaml:"labels,omitempty"`
}

type configMap struct {
	APIVersion string            `yaml:"apiVersion"`
	Kind       string            `yaml:"kind"`
	Metadata   metadata          `yaml:"metadata"`
	Data       map[string]string `yaml:"data"`
}

type job struct {
	APIVersion string   `yaml:"apiVersion"`
	Kind       string   `yaml:"kind"`
	Metadata   metadata `yaml:"metadata"`
	Spec       jobSpec  `yaml:"spec"`
}

type jobSpec struct {
	CompletionMode        string           `yaml:"completionMode,omitempty"`
	Completions           *int             `yaml:"completions,omitempty"`
	Parallelism           *int             `yaml:"parallelism,omitempty"`
	BackoffLimit          *int             `yaml:"backoffLimit,omitempty"`
	BackoffLimitPerIndex  *int             `yaml:"backoffLimitPerIndex,omitempty"`
	MaxFailedIndexes      *int             `yaml:"maxFailedIndexes,omitempty"`
	ActiveDeadlineSeconds *int64           `yaml:"activeDeadlineSeconds,omitempty"`
	PodFailurePolicy      podFailurePolicy `yaml:"podFailurePolicy"`
	Template              podTemplate      `yaml:"template"`
}

type podFailurePolicy struct {
	Rules []failureRule `yaml:"rules"`
}

type failureRule struct {
	Action          string         `yaml:"action"`
	OnExitCodes     *onExitCodes   `yaml:"onExitCodes,omitempty"`
	OnPodConditions []podCondition `yaml:"onPodConditions,omitempty"`
}

type onExitCodes struct {
	ContainerName string `yaml:"containerName"`
	Operator      string `yaml:"operator"`
	Values        []int  `yaml:"values,flow"`
}

type podCondition struct {
	Type   string `yaml:"type"`
	Status string `yaml:"status"`
}

type podTemplate struct {
	Metadata metadata `yaml:"metadata"`
	Spec     podSpec  `yaml:"spec"`
}

type podSpec struct {
	RestartPolicy                string         `yaml:"restartPolicy"`
	ServiceAccountName           string         `yaml:"serviceAccountName,omitempty"`
	AutomountServiceAccountToken bool           `yaml:"automountServiceAccountToken"`
	EnableServiceLinks           bool           `yaml:"enableServiceLinks"`
	SecurityContext              podSecurity    `yaml:"securityContext"`
	Containers                   []podContainer `yaml:"containers"`
	Volumes                      []podVolume    `yaml:"volumes"`
}

type podSecurity struct {
	RunAsNonRoot        bool           `yaml:"runAsNonRoot"`
	RunAsUser           int64          `yaml:"runAsUser"`
	RunAsGroup          int64          `yaml:"runAsGroup"`
	FSGroup             *int64         `yaml:"fsGroup,omitempty"`
	FSGroupChangePolicy string         `yaml:"fsGroupChangePolicy,omitempty"`
	SeccompProfile      seccompProfile `yaml:"seccompProfile"`
}

type seccompProfile struct {
	Type string `yaml:"type"`
}

type podContainer struct {
	Name                     string            `yaml:"name"`
	Image                    string            `yaml:"image"`
	Command                  []string          `yaml:"command"`
	Args                     []string          `yaml:"args"`
	Env                      []envVariable     `yaml:"env,omitempty"`
	EnvFrom                  []envSource       `yaml:"envFrom,omitempty"`
	Resources                podResources      `yaml:"resources"`
	SecurityContext          containerSecurity `yaml:"securityContext"`
	TerminationMessagePolicy string            `yaml:"terminationMessagePolicy"`
	VolumeMounts             []volumeMount     `yaml:"volumeMounts"`
}

type envVariable struct {
	Name      string     `yaml:"name"`
	Value     string     `yaml:"value,omitempty"`
	ValueFrom *valueFrom `yaml:"valueFrom,omitempty"`
}

type valueFrom struct {
	FieldRef fieldRef `yaml:"fieldRef"`
}

type fieldRef struct {
	FieldPath string `yaml:"fieldPath"`
}

type envSource struct {
	SecretRef reference `yaml:"secretRef"`
}

type reference struct {
	Name string `yaml:"name"`
}

type podResources struct {
	Requests quantities `yaml:"requests"`
	Limits   quantities `yaml:"limits"`
}

type quantities struct {
	CPU    string `yaml:"cpu"`
	Memory string `yaml:"memory"`
}

type containerSecurity struct {
	AllowPrivilegeEscalation bool         `yaml:"allowPrivilegeEscalation"`
	ReadOnlyRootFilesystem   bool         `yaml:"readOnlyRootFilesystem"`
	Capabilities             capabilities `yaml:"capabilities"`
}

type capabilities struct {
	Drop []string `yaml:"drop,flow"`
}

type volumeMount struct {
	Name      string `yaml:"name"`
	MountPath string `yaml:"mountPath"`
	SubPath   string `yaml:"subPath,omitempty"`
	ReadOnly  bool   `yaml:"readOnly,omitempty"`
}

type podVolume struct {
	Name      string     `yaml:"name"`
	EmptyDir  *emptyDir  `yaml:"emptyDir,omitempty"`
	ConfigMap *reference `yaml:"configMap,omitempty"`
	Claim     *claim     `yaml:"persistentVolumeClaim,omitempty"`
}

type emptyDir struct {
	SizeLimit string `yaml:"sizeLimit"`
}

type claim struct {
	ClaimName string `yaml:"claimName"`
}
