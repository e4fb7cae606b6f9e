// The command kubernetes says whether an API server of Kubernetes takes manifests. It decodes the
// YAML documents of standard input as strictly as a server does with fieldValidation=Strict, sets
// the server's defaults, and calls the server's own code for new objects. Pods must keep the
// standard "restricted", too. It prints each fault and each warning, and ends with 1 if there is
// one. It knows the kinds ConfigMap and Job.
//
// With the argument google-batch, it says instead whether standard input is a job of Google
// Batch: it decodes one JSON document as strictly as the types of Google's client allow.
//
// It is a module of its own, so that the program does not depend on Kubernetes.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	batchinstall "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/apis/core"
	coreinstall "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

func main() {
	check := check
	if len(os.Args) == 2 && os.Args[1] == "google-batch" {
		check = checkGoogle
	}
	if err := check(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// check checks each document.
func check(in io.Reader) error {
	scheme := legacyscheme.Scheme
	coreinstall.Install(scheme)
	batchinstall.Install(scheme)
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	var faults []error
	documents := yaml.NewYAMLReader(bufio.NewReader(in))
	for i := 1; ; i++ {
		text, err := documents.Read()
		if errors.Is(err, io.EOF) {
			if i == 1 {
				return errors.New("no documents")
			}
			return errors.Join(faults...)
		}
		if err == nil {
			err = checkOne(scheme, strict, text)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("document %d: %w", i, err))
		}
	}
}

// checkOne checks one document.
func checkOne(scheme *runtime.Scheme, strict runtime.Decoder, text []byte) error {
	sent, _, err := strict.Decode(text, nil, nil)
	if err != nil {
		return err
	}
	scheme.Default(sent)
	object, err := scheme.ConvertToVersion(sent, runtime.InternalGroupVersioner)
	if err != nil {
		return err
	}
	var strategy rest.RESTCreateStrategy
	namespace := metav1.NamespaceDefault
	var own string // the namespace that the manifest names
	switch object := object.(type) {
	case *core.ConfigMap:
		strategy, own = configmap.Strategy, object.Namespace
	case *batch.Job:
		if err := restricted(sent.(*batchv1.Job)); err != nil {
			return err
		}
		strategy, own = job.Strategy, object.Namespace
	default:
		return fmt.Errorf("cannot check a %T", object)
	}
	if own != "" {
		namespace = own
	}
	ctx := request.WithNamespace(context.Background(), namespace)
	rest.FillObjectMetaSystemFields(object.(metav1.Object))
	if err := rest.BeforeCreate(strategy, ctx, object); err != nil {
		return err
	}
	var faults []error
	for _, warning := range strategy.WarningsOnCreate(ctx, object) {
		faults = append(faults, fmt.Errorf("warning: %s", warning))
	}
	return errors.Join(faults...)
}

// restricted returns an error if the pods of a job break the strictest of the Pod Security
// Standards, which a namespace may enforce.
func restricted(j *batchv1.Job) error {
	checks, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		return err
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	result := policy.AggregateCheckResults(checks.EvaluatePod(level, &j.Spec.Template.ObjectMeta, &j.Spec.Template.Spec))
	if !result.Allowed {
		return errors.New(result.ForbiddenDetail())
	}
	return nil
}
